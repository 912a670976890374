#pragma once
// What a judge model is asked about an answer to a task of EXP-Bench, and how its reply is read. The prompts are files
// under texts/. Asks nobody. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/scoring.h"

namespace benchmarks {

/// One request: the items of a part that no rule decided.
struct JudgeQuestion {
  std::string part;  ///< "design", "implementation", "conclusion" or "monitor".
  std::vector<std::string> items;
  std::string handed;  ///< What was handed in.

  std::string system() const;
  std::string user() const;
};

/// What is left to a judge after the rules: at most one question per part, and one about made-up data, where code was
/// handed in.
std::vector<JudgeQuestion> judge_questions(const HandedIn&, const TaskScore&);

struct ItemJudgement {
  bool met = false;
  std::string why;
};
/// One judgement per item, in their order. A problem: the reply is not of the form, or leaves one out.
kernel::Result<std::vector<ItemJudgement>> read_judgements(std::string_view reply, std::size_t items);

/// Fills in what was left open. Precondition: one judgement per item of the question, which is of this score.
void apply(const JudgeQuestion&, const std::vector<ItemJudgement>&, TaskScore&);

/// A question whose right judgements are known, to see how far the judge can be relied on.
struct PlantedQuestion {
  JudgeQuestion question;
  bool met = false;  ///< The right judgement of every item.
};
/// For each pair of neighbours in the list: the task's own design and conclusion, which are right, and the other
/// task's, which are not, where they differ.
std::vector<PlantedQuestion> planted_questions(const std::vector<ExpTask>&);

}  // namespace benchmarks
