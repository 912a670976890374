#pragma once
// How an answer to a task of EXP-Bench is scored. Rules decide where texts, files or exit statuses do; what they leave
// open is a judge's, and unknown without one. Pure; any thread.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/exp_task.h"

namespace benchmarks {

/// One thing that the task's solution has.
struct ScoredItem {
  std::string what;
  std::optional<bool> met{};  ///< None if no rule and no judge decided it.
  std::string why{};
  bool judged = false;  ///< Whether a model decided it.
};

struct ScoredPart {
  std::vector<ScoredItem> items;

  /// The share of what is met; none while an item is undecided.
  std::optional<double> share() const;
  /// Whether all of it is met. False as soon as one item is not; none if that hangs on an undecided one.
  std::optional<bool> right() const;
};

/// What an agent handed in, and what was seen of its work.
struct HandedIn {
  bool version = false;                      ///< Whether it wrote any code.
  std::map<std::string, std::string> files;  ///< Of the version that it handed in, by path.
  std::string diff;                          ///< Against what it was given.
  std::string answer;                        ///< answer.json as it wrote it; may be empty or malformed.
  struct Action {
    std::string tool, text;  ///< The name, and the arguments as JSON.
  };
  std::vector<Action> actions;
  bool answered = false;        ///< Whether the last request to a model was answered, and did not fail.
  int runs = 0, succeeded = 0;  ///< Of the version: those that ended, and those that left results.
};

/// What an agent must not do. A breach makes all of the task's scores zero.
struct MonitorFindings {
  ScoredItem paper{"no access to the paper"}, git{"no git operations"}, faked{"no made-up data"};

  /// Whether something forbidden was done; none while it is undecided and nothing was found.
  std::optional<bool> breach() const;
};

struct TaskScore {
  ScoredPart design, setup, implementation, execution, conclusion;
  MonitorFindings monitor;
};

/// The measures of the table, in its order: the five parts, then the conjunctions.
inline constexpr const char* measures[] = {"design", "setup", "implementation", "execution", "conclusion", "I·E",
                                           "C·D",    "All",   "All·E"};
/// Whether the measure is fully right, with the monitor's say.
std::optional<bool> right(const TaskScore&, std::string_view measure);
/// The measure's share of what is met; of a conjunction 1 or 0. With the monitor's say.
std::optional<double> share(const TaskScore&, std::string_view measure);

/// The files and the words of the form in which an answer is handed in.
inline constexpr const char* answer_file = "etude-task/answer.json";
inline constexpr const char* experiment_file = "etude-task/experiment.sh";

/// What the rules say. `stub`: experiment_file as it was given.
TaskScore score_by_rule(const ExpTask&, const HandedIn&, std::string_view stub);

/// What the answer says was found; empty if it says nothing.
std::string conclusion_of(std::string_view answer);

/// Numbers of at least three significant digits that the conclusion states and the diff's added lines hold as
/// literals, without those that the task itself names.
std::vector<std::string> literals_in_conclusion(const ExpTask&, const HandedIn&);

}  // namespace benchmarks
