#include "kernel/study/at_work.h"

#include <algorithm>

namespace kernel {

int runs_at_work(const Study& study) {
  const auto runs =
      std::ranges::count_if(study.live, [&](int number) { return study.run(number)->state == RunState::running; });
  return std::min(static_cast<int>(study.live.size()), std::max(study.jobs, static_cast<int>(runs)));
}

}  // namespace kernel
