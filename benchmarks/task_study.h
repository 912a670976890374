#pragma once
// Makes a study of a task of EXP-Bench: the paper's code without the files that hold the solution, a text that says
// what to do and what to hand in, and a study file by which one engineer writes one version of the code. Writes one
// folder, which is whole or not there.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/exp_task.h"

namespace benchmarks {

/// Why the task cannot become a study with its paper's code in `source`; none if it can.
std::optional<RefusedTask> refuse_by_source(const ExpTask&, const std::string& source);

struct TaskLimits {
  std::string profile;          ///< Of the agents.
  std::string wall = "1h";      ///< A duration, of the whole study.
  std::optional<double> usd{};  ///< What its models may cost.
};

/// The study file.
std::string task_study_text(const ExpTask&, const TaskLimits&);
/// What the engineer reads: question, method, instructions, and what to hand in. Nothing of the solution.
std::string task_text(const ExpTask&);
/// experiment_file as the engineer finds it.
std::string_view experiment_stub();

/// Writes the study's folder; `folder` must not exist. Leaves out version control, the masked files, and other files
/// with the same bytes. Returns the files that it left out, without those of version control. Throws if the disk fails.
std::vector<std::string> write_task_study(const ExpTask&, const TaskLimits&, const std::string& source,
                                          const std::string& folder);

}  // namespace benchmarks
