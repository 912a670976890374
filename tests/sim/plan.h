#pragma once
// What one seed determines: the studies, the machine, and how often each fault occurs.

#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"
#include "kernel/loop/admission.h"
#include "tests/sim/core.h"
#include "tests/sim/rates.h"

namespace sim {

struct PlannedStudy {
  kernel::StudySpec spec;
  int jobs = 1;
  std::string code;      ///< Equal for equal code.
  std::string packages;  ///< What its set-up installs; equal for equal environments.
  std::int64_t opens_after_ms = 0;
};

struct Plan {
  std::vector<PlannedStudy> studies;
  kernel::Machine machine;
  Rates rates;
};

Plan draw_plan(Dice&);

}  // namespace sim
