#pragma once
// The tasks of EXP-Bench (arXiv 2505.24785): one JSON file per paper, whose `questions` are experiments with a
// question, a method, what was found, the variables of the design, and the files that hold the solution. The form
// drifts between files; what a task lacks is a typed refusal, and what could not be used is named. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace benchmarks {

struct DesignVariable {
  std::string name;
  std::vector<std::string> values;  ///< Levels, a value, or a description; may be empty.
};

struct TaskDesign {
  std::vector<DesignVariable> constant, independent, dependent;
};

struct ExpTask {
  std::string id;     ///< "17388-1": the paper, and the place in its file from 1 on.
  std::string paper;  ///< Its number, which is also the name of the folder with its code.
  std::string question, method, instructions, outcome;
  TaskDesign design;
  std::vector<std::string> masked;        ///< Files that hold the solution, below the paper's folder; may be empty.
  std::vector<std::string> requirements;  ///< What the code must do; empty where only the method says it.
  std::vector<std::string> unused;        ///< "NAME: why": parts of the task that could not be read.
};

enum class TaskRefusal {
  malformed,      ///< It lacks a question, a method, an outcome or a design, or its masked files cannot be read.
  outside,        ///< A masked file does not lie in the paper's folder.
  source_absent,  ///< The paper's code is not here; fetching it needs a network.
  masked_absent,  ///< A masked file is not in the paper's code.
};
/// "source absent"
std::string_view name(TaskRefusal);

struct RefusedTask {
  std::string id;  ///< Of a whole file, whose tasks cannot be told apart, the paper.
  TaskRefusal kind = TaskRefusal::malformed;
  std::string why, todo;
};

using ReadTask = std::variant<ExpTask, RefusedTask>;

/// The tasks of one file; `file` is its path, whose name begins with the paper's number. Without a list of `questions`
/// one refusal for all of them. A problem: it is no JSON, or its name names no paper.
kernel::Result<std::vector<ReadTask>> read_exp_tasks(std::string_view text, const std::string& file);

/// The design in the form of `design_complexity`, of a task or of an answer; a problem names what it lacks.
kernel::Result<TaskDesign> read_design(std::string_view json);

}  // namespace benchmarks
