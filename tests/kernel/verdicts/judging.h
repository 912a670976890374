#pragma once
// Verdicts on synthetic studies.

#include <string>
#include <vector>

#include "kernel/verdicts/judge.h"
#include "kernel/wording/wording.h"
#include "stats/basics/random.h"
#include "tests/kernel/inference/synthetic.h"

namespace synthetic {

inline kernel::HypothesisResult judge_one(const kernel::StudySpec& spec, const kernel::Hypothesis& h, const Runs& runs,
                                          int family = 1) {
  const std::vector<kernel::Hypothesis> batch{h};
  const std::vector<std::vector<kernel::RunValue>> values{runs.values()};
  return kernel::judge_batch(spec, batch, family, values).front();
}

/// 50 settings of x, 2 arms, so many seeds (100 seeds: 10,000 runs), handed whole to each of 50 hypotheses; half of
/// them average over x.
struct Load {
  kernel::StudySpec spec;
  std::vector<kernel::Hypothesis> batch;
  Runs runs;
  std::vector<std::vector<kernel::RunValue>> values;  ///< Pointing to the cells of `runs`.
};

inline Load load(int seeds) {
  std::vector<std::string> levels;
  for (int i = 0; i < 50; ++i) levels.push_back(std::to_string(i));
  Load load;
  load.spec = study(seeds, {factor("x", levels)});
  stats::Xoshiro random(1);
  for (const std::string& level : levels) {
    for (const char* arm : {"t", "c"}) {
      std::vector<double> values(static_cast<std::size_t>(seeds));
      for (double& v : values) v = 10 + random.normal();
      load.runs.add_all({{"arm", arm}, {"x", level}}, values);
    }
  }
  for (int i = 0; i < 50; ++i) {
    load.batch.push_back(compare(i % 2 == 0 ? kernel::Direction::less : kernel::Direction::different));
    load.batch.back().id = kernel::HypothesisId("H" + std::to_string(i));
    if (i % 2 == 0) load.batch.back().where = {{"x", levels[static_cast<std::size_t>(i)]}};
  }
  load.values.assign(50, load.runs.values());
  return load;
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline bool holds(const kernel::Reason& reason, const std::string& part) {
  return holds(newest_words(reason), part);
}

}  // namespace synthetic
