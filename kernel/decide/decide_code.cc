// A search over versions of the code: rounds, versions and their runs. No version may change the evaluator.

#include <fmt/format.h>

#include "kernel/binding/prose_binding.h"
#include "kernel/decide/decider.h"
#include "kernel/decide/preconditions.h"
#include "kernel/search/code_search.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/search.h"
#include "kernel/study/requirements.h"

namespace kernel {

Decision Decider::operator()(const AdvanceCode&) {
  if (study->phase() != Phase::searching || !study->spec.code || !study->search)
    return rejected({ReasonCode::no_code_searched});
  if (!open_steps(*study).empty()) return rejected({ReasonCode::engineers_at_work});
  if (study->search->pending > 0) return rejected({ReasonCode::versions_running});
  const bool one_by_one = study->spec.code->keeps_or_discards();
  // The noise is measured before the first idea.
  const bool begins = study->code.round == 0 && study->code.over.empty() && !one_by_one;
  if (RunsQueued runs = due_code_runs(*study); !runs.runs.empty()) {
    emit(std::move(runs));
    if (!begins) return done();
  }
  if (one_by_one && undecided(*study) && measured_noise(*study)) {
    RungRanked judged = rank_code(*study);
    std::vector<Node> discarded = code_dead_ends(*study, judged);
    emit(std::move(judged));
    for (Node& node : discarded) emit_node(std::move(node));
    return done();
  }
  if (study->code.over.empty()) {
    Reason why = code_stop(*study, now);
    CodePlanned planned{study->code.round + 1, {}, {}};
    if (why.empty()) planned.steps = next_steps(*study);
    if (planned.steps.empty()) {
      planned.round = study->code.round;
      planned.over = why.empty() ? Reason{ReasonCode::nothing_worth_trying} : std::move(why);
    }
    return record(std::move(planned));
  }
  if (const CodeVersion* version = to_review(*study)) return rejected(unreviewed(*study, version->id));
  RungRanked ranked = rank_code(*study);
  std::vector<Node> dropped = code_dead_ends(*study, ranked);
  const bool nothing = nothing_kept(ranked);
  if (nothing)
    for (const Candidate& c : ranked.candidates)
      if (const auto lacking = unmet(*study, c.cell.at(code_factor)); !lacking.empty())
        return rejected({ReasonCode::no_version_meets, {{"lacking", std::vector{lacking_reason(lacking)}}}});
  emit(std::move(ranked));
  for (Node& node : dropped) emit_node(std::move(node));
  if (nothing && one_by_one && measured_noise(*study))
    emit(StudyConcluded{StudyOutcome::concluded, {ReasonCode::no_idea_kept}});
  else if (nothing)
    emit(
        StudyConcluded{StudyOutcome::failed, one_by_one ? study->code.over : Reason{ReasonCode::no_version_succeeded}});
  return done();
}

Decision Decider::operator()(const EndCode& c) {
  return record_if_allowed(CodePlanned{study->code.round, {}, c.why});
}

Decision Decider::operator()(const ProposeCode& c) {
  CodeVersion version;
  version.step = c.step;
  version.why = c.why;
  version.workspace = c.workspace;
  version.workspace.by = command.actor;
  version.diff = c.diff;
  version.lines = c.lines;
  if (const auto why = against(CodeProposed{version})) return *why;
  if (c.why.empty()) return Rejection{"say in a sentence what the version does differently"};
  Node words;
  words.title = c.why;
  if (const std::string refusal = bind_words(*study, command.actor, words); !refusal.empty())
    return Rejection{"the summary does not pass: " + refusal};
  const CodeStep* step = study->code.step(c.step);
  // The id follows from the step, so it does not depend on which engineer finishes first.
  version.id = fmt::format("v{}", step - study->code.steps.data() + 1);
  version.op = step->op;
  version.parents = step->parents;
  Node node = code_node(*study, version);
  RunsQueued run = first_run(*study, version.id);
  emit(CodeProposed{std::move(version)});
  emit_node(std::move(node));
  return record(std::move(run));
}

}  // namespace kernel
