// What people do: what comes to their minds, and what the studies wait for.
#include <algorithm>
#include <utility>

#include "kernel/domain/enum_names.h"
#include "kernel/study/requirements.h"
#include "tests/sim/simulation.h"

namespace sim {

using kernel::Study;
using kernel::StudyState;

void Simulation::act() {
  if (core.dice.chance(plan.rates.clock_jump)) {
    core.clock.wall_jump_ms += (core.dice.chance(0.5) ? 1 : -1) * core.dice.spread(30);
    return core.note("somebody sets the clock");
  }
  std::vector<std::string> ids;
  for (const auto& [id, study] : witness.state().studies) ids.push_back(id);
  if (ids.empty()) return;
  const std::string id = core.dice.one_of(ids);
  const int what = core.dice.below(19);
  const int times = core.dice.chance(0.25) ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    core.note("a person acts on {}: {}", id, what);
    act_on(id, what);
  }
}

void Simulation::act_on(const std::string& id, int what) {
  const Study& study = *witness.state().study(id);
  if (study.state == StudyState::ended) {
    if (what == 6 || what == 7) fork(id);
    return;
  }
  const auto run = [&] { return study.runs.empty() ? 1 : core.dice.between(1, static_cast<int>(study.runs.size())); };
  if (!life) {
    // What is recorded while no kernel works on the home.
    if (what == 0) record_offline(id, kernel::Pause{});
    if (what == 4) record_offline(id, kernel::Steer{"Look at n."});
    if (what == 5 && !study.gates.empty())
      record_offline(id, kernel::DecideGate{core.dice.one_of(study.gates).gate.id, true, kernel::as_said("Yes.")});
    return;
  }
  kernel::Budget more;
  switch (what) {
    case 0:
      return life->tell(id, kernel::Pause{});
    case 1:
      return life->tell(id, kernel::Resume{core.clock.boot_id(), core.dice.below(4), {}});
    case 2:
      if (core.dice.chance(0.4)) life->tell(id, kernel::Cancel{"It takes too long."});
      return;
    case 3:
      return life->tell(id, kernel::CancelRun{run()});
    case 4:
      return life->tell(id, kernel::Steer{"Look at n."});
    case 5:
      if (!study.gates.empty())
        life->tell(id, kernel::DecideGate{core.dice.one_of(study.gates).gate.id, core.dice.chance(0.8),
                                          kernel::as_said("So be it.")});
      return;
    case 6:
    case 7:
      return fork(id);
    case 8:
      if (study.spec.budget.runs) more.runs = *study.spec.budget.runs + core.dice.between(0, 10);
      if (study.spec.budget.tokens) more.tokens = *study.spec.budget.tokens + core.dice.between(0, 500);
      return life->tell(id, kernel::Resume{core.clock.boot_id(), 0, more});
    case 9:
      return amend(id, false);
    case 10:
    case 11:
      return amend(id, true);
    case 12:
      if (!study.hypotheses.empty())
        life->tell(id, kernel::WithdrawHypothesis{core.dice.one_of(study.hypotheses).hypothesis.id, "It is known."});
      return;
    case 13:
      if (core.dice.chance(0.5)) life->tell(id, kernel::OpenBatch{"There is more."});
      return;
    case 14:
      if (core.dice.chance(0.3)) return life->post(kernel::DiskFull{{kernel::ReasonCode::disk_full}});
      return life->tell(id, kernel::Pause{kernel::PauseReason::interrupted});
    case 15:
    case 16:
    case 17:
      return work_by_hand(id, core.dice.below(6));
    default:
      core.note("the kernel is told to leave");
      return life->post(kernel::Leave{});
  }
}

/// Commands that a person runs, and what a person says of them.
void Simulation::work_by_hand(const std::string& id, int what) {
  const Study& study = *witness.state().study(id);
  const bool captured = study.spec.captured();
  if (what == 0 && captured) return life->tell(id, kernel::Conclude{});
  if (what == 1 || what == 2) {
    kernel::RecordNode said;
    said.node.type = what == 1 ? kernel::NodeType::insight : kernel::NodeType::dead_end;
    said.node.title = "It is noisy.";
    if (!study.runs.empty()) said.node.runs = {fmt::format("r{}", study.runs.size())};
    return life->tell(id, std::move(said));
  }
  if (!captured && !life->study(id)) return;
  kernel::OrderScratch made;
  // A client that got no answer asks once more with the same word.
  made.order.tool_call = fmt::format("w{}", words > 0 && core.dice.chance(0.2) ? words : ++words);
  made.order.command = "python3 plot.py";
  made.order.arguments = {"python3", "plot.py"};
  made.order.workspace.hash = frozen(fmt::format("by hand {}", core.dice.below(50)));
  if (captured && core.dice.chance(0.7)) {
    made.order.folder = "/work";
    made.order.resources.sandbox = kernel::SandboxMode::none;
  }
  life->tell(id, std::move(made));
}

void Simulation::help() {
  bool helped = false;
  const std::map<std::string, Study>& all = witness.state().studies;
  for (const auto& [id, stored] : all) {
    if (stored.state == StudyState::ended) continue;
    const Study* study = life->study(id);
    if (study && !study->live.empty())
      broken("every wait ends", "{} waits for run {}, of which nothing will come", id, *study->live.begin());
    if (life->works(id)) broken("every wait ends", "{} waits for a reply that will not come", id);
    const bool asks = std::ranges::any_of(stored.gates, [](const auto& gate) { return !gate.decided; });
    if (study && study->state == StudyState::running && !asks && !stored.spec.captured())
      broken("every wait ends", "{} is running at `{}` and waits for nothing", id, kernel::name(study->phase()));
    helped = true;
    core.note("a person helps {}", id);
    if (++helped_[id] > 60) broken("a study comes to its end", "{} was helped 60 times", id);
    if (helped_[id] > 25 && !stored.cancelling)
      life->tell(id, kernel::Cancel{"It comes to nothing."});
    else if (asks)
      decide_gates(stored);
    else if (stored.spec.captured() && stored.state == StudyState::running && !stored.cancelling)
      life->tell(id, kernel::Conclude{});
    else
      help_paused(stored);
  }
  if (!helped && to_open > 0) broken("every wait ends", "a study is not opened");
  if (!helped && !over()) broken("every wait ends", "a study is not at its end");
}

void Simulation::decide_gates(const Study& study) {
  for (const kernel::GateRecord& gate : study.gates)
    if (!gate.decided)
      life->tell(study.id, kernel::DecideGate{gate.gate.id, core.dice.chance(0.9), kernel::as_said("Go on.")});
}

void Simulation::help_paused(const Study& study) {
  // What agents wrote must be read before anything is registered.
  if (kernel::needs_requirements(study) && life->study(study.id)) {
    const auto say = [&](kernel::CommandBody body) {
      life->post(kernel::Command{study.id, kernel::person_actor, std::move(body)});
    };
    kernel::StudyRequirement needed;
    needed.text = "The algorithm that is named is timed.";
    needed.file = "sort.py";
    needed.from = needed.to = 1;
    const bool drawn = std::ranges::any_of(study.thinking.requirements,
                                           [](const auto& one) { return one.by != kernel::kernel_actor; });
    if (!drawn) say(kernel::BindRequirement{needed});
    if (!drawn) say(kernel::JudgeRequirement{kernel::next_requirement(study), true, "I read it."});
    for (const kernel::StudyRequirement& one : study.thinking.requirements)
      say(kernel::JudgeRequirement{one.id, true, "I read it."});
  }
  // No version does what it must, and a person says that one does.
  if (study.spec.code && study.pause_reason == kernel::PauseReason::agent && life->study(study.id))
    for (const kernel::StudyRequirement& one : study.thinking.requirements)
      if (!one.version.empty())
        life->post(kernel::Command{study.id, kernel::person_actor,
                                   kernel::JudgeRequirement{one.id, true, "I read it.", one.workspace}});
  // The test data cannot be looked at once more.
  if (study.pause_reason == kernel::PauseReason::looks)
    return life->tell(study.id, kernel::Cancel{"The test data are used up."});
  kernel::Budget raised;
  const kernel::Budget& most = study.spec.budget;
  if (study.pause_reason == kernel::PauseReason::budget) {
    if (most.runs) raised.runs = *most.runs + 15;
    if (most.tokens) raised.tokens = *most.tokens + 1500;
    if (most.usd) raised.usd = *most.usd + 0.2;
    if (most.gpu_hours) raised.gpu_hours = *most.gpu_hours + 0.05;
    if (most.wall_s) raised.wall_s = std::max(*most.wall_s, study.wall_spent_s()) + 120;
  }
  life->tell(study.id, kernel::Resume{core.clock.boot_id(), 0, raised});
}

}  // namespace sim
