#pragma once
// Studies with runs that wait, told only by what admission looks at.

#include <string>

#include "kernel/study/state.h"

namespace test {

/// A new study of the state: runs 1 to `waiting` are queued, and `jobs` may go at once.
inline kernel::Study& waiting_study(kernel::State& state, const std::string& id, int waiting, int jobs,
                                    const kernel::Resources& need) {
  kernel::Study& study = state.studies[id];
  study.id = id;
  study.jobs = jobs;
  study.spec.resources = need;
  for (int i = 1; i <= waiting; ++i) {
    kernel::Run run;
    run.number = i;
    study.runs.push_back(run);
    study.queue.push_back(i);
  }
  return study;
}

}  // namespace test
