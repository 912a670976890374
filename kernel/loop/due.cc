#include "kernel/loop/due.h"

#include <algorithm>

#include "kernel/search/code_search.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/gates.h"
#include "kernel/study/ledger.h"

namespace kernel {

namespace {

Command own(const StudyTerms& study, CommandBody body) {
  return {study.id, kernel_actor, std::move(body)};
}

/// True if the next step may conclude the study as failed while ordered runs, which are not of the design, still run.
bool may_fail_too_early(const Study& study) {
  const auto ordered = [&](int number) { return study.order_of(*study.run(number)) != nullptr; };
  if (study.thinking.orders.empty() ||
      (std::ranges::none_of(study.live, ordered) && std::ranges::none_of(study.queue, ordered)))
    return false;
  const auto none_succeeded = [&](Purpose purpose) {
    return std::ranges::none_of(study.runs, [&](const Run& run) {
      return run.purpose == purpose && run.number > study.batch.amended_at && run.state == RunState::succeeded;
    });
  };
  switch (study.phase()) {
    case Phase::checking:
      return study.asked_smoke && none_succeeded(Purpose::smoke);
    case Phase::sizing:
      return study.asked_pilot && none_succeeded(Purpose::pilot);
    case Phase::searching:
      return study.spec.code ? !study.code.over.empty() : study.search && none_succeeded(Purpose::search);
    default:
      return false;
  }
}

/// The effects that the study's phase calls for, if nothing blocks it.
void next_step(const Study& study, std::vector<Effect>& effects) {
  if (may_fail_too_early(study)) return;
  switch (study.phase()) {
    case Phase::preparing:
      if (study.queue.empty() && study.live.empty()) effects.push_back(own(study, RequestSetup{}));
      break;
    case Phase::proposing:
      effects.push_back(AskRole{study.id, Role::hypothesis});
      break;
    case Phase::checking:
      if (study.pending_smoke == 0 && study.pending_comparison == 0)
        effects.push_back(AskRole{study.id, Role::experiment});
      break;
    case Phase::searching:
      if (!study.search || study.search->pending == 0 || (study.spec.code && !open_steps(study).empty()))
        effects.push_back(AskRole{study.id, Role::experiment});
      break;
    case Phase::sizing:
      if (study.pending_pilot == 0) effects.push_back(AskRole{study.id, Role::experiment});
      break;
    case Phase::registering:
      // No role can change that the test data have been scored as often as they may.
      if (Reason why = refused_look(study); !why.empty())
        effects.push_back(own(study, Pause{PauseReason::looks, std::move(why)}));
      else
        effects.push_back(AskRole{study.id, Role::experiment});
      break;
    case Phase::analysing:
      effects.push_back(AskRole{study.id, Role::analysis});
      break;
    case Phase::concluding:
      effects.push_back(AskRole{study.id, Role::writeup});
      break;
    case Phase::cancelling:
      if (study.live.empty() && study.thinking.under_way == 0) effects.push_back(own(study, Conclude{}));
      break;
    case Phase::packaging:
      effects.push_back(PackageStudy{study.id});
      break;
    case Phase::measuring:
    case Phase::capturing:
    case Phase::done:
      break;
  }
}

/// Ends a search over code when its time is over, even if engineers still work.
void end_of_code(const Study& study, Time now, std::vector<Effect>& effects) {
  if (study.phase() != Phase::searching || !study.spec.code || !study.search || open_steps(study).empty()) return;
  if (const auto until = code_until(study); until && *until <= now.boot_ms)
    effects.push_back(own(study, EndCode{{ReasonCode::wall_kept_for_confirming}}));
}

/// Whether a person's decision is needed before the next step. Once a study is cancelled, only that on secrets is.
bool waits_for_person(const Study& study) {
  if (!study.cancelling) return study.waiting_gate() != nullptr;
  const GateRecord* secrets = gate_of_secrets(study);
  return secrets && !secrets->decided;
}

/// Decides gates whose time is over, or pauses the study.
void overdue_gates(const Study& study, Time now, std::vector<Effect>& effects) {
  const bool idle = study.live.empty() && study.thinking.awaited() == 0;
  for (const GateRecord& record : study.gates) {
    if (study.cancelling && record.gate.on != GateOn::secrets) continue;
    const auto until = record.decided ? std::nullopt : waits_until(study, record);
    if (!until || *until > now.boot_ms) continue;
    const std::optional<bool> unanswered =
        record.gate.position == Gate::unlisted
            ? std::nullopt
            : study.spec.gates[static_cast<std::size_t>(record.gate.position)].unanswered;
    if (unanswered)
      effects.push_back(own(study, DecideGate{record.gate.id, *unanswered, {ReasonCode::gate_undecided}}));
    else if (idle)
      effects.push_back(own(study, Pause{PauseReason::gate, {ReasonCode::gate_waits, {{"gate", record.gate.id}}}}));
    return;
  }
}

}  // namespace

std::vector<Effect> next_effects(const State& state, Time now) {
  std::vector<Effect> effects;
  for (const auto& [id, study] : state.studies) {
    for (const int run : study.to_kill) effects.push_back(KillRun{id, run});
    if (study.state != StudyState::running) continue;
    overdue_gates(study, now, effects);
    if (waits_for_person(study)) continue;
    if (const auto position = due_gate(study, now)) {
      effects.push_back(own(study, OpenGate{*position}));
      continue;
    }
    // Live runs finish first; then the study pauses until a person raises the budget.
    if (!study.queue.empty() && study.live.empty())
      if (const auto reached =
              exceeded_by(*study.run(study.queue.front()), study, study.spec.budget, spending_of(study, now))) {
        effects.push_back(own(study, Pause{PauseReason::budget, reason_of(*reached)}));
        continue;
      }
    end_of_code(study, now, effects);
    next_step(study, effects);
  }
  return effects;
}

}  // namespace kernel
