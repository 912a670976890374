#pragma once
// Verdicts on synthetic studies.

#include <vector>

#include "kernel/judge.h"
#include "tests/kernel/synthetic.h"

namespace synthetic {

inline kernel::HypothesisResult judge_one(const kernel::StudySpec& spec, const kernel::Hypothesis& h, const Runs& runs,
                                          int family = 1) {
  const std::vector<kernel::Hypothesis> batch{h};
  const std::vector<std::vector<kernel::RunValue>> values{runs.values()};
  return kernel::judge_batch(spec, batch, family, values).front();
}

}  // namespace synthetic
