#include <algorithm>
#include <stdexcept>

#include "agents/builtin/builtin.h"
#include "base/digest.h"
#include "kernel/domain/enum_names.h"
#include "tests/sim/simulation.h"

namespace sim {

using kernel::Study;

Life::Life(Simulation& simulation, int points)
    : simulation_(simulation), points_(points), alive_(std::make_shared<bool>(true)) {
  const auto poster = [this, alive = alive_](kernel::LoopMessage message) {
    if (*alive) post(std::move(message));
  };
  conversations_ =
      std::make_unique<Conversations>(simulation_.core, simulation_.plan.rates, simulation_.provider, poster);
  conversations_->intended = [this](const std::string& study, int call) {
    simulation_.witness.demand_call(study, call);
    maybe_die("before a call of a model");
  };
  conversations_->freeze = [this](const std::string& text) { return simulation_.frozen(text); };
  conversations_->keep = [this](const std::string& text) { return simulation_.kept(text); };
  executor_ = simulation_.machine.executor(poster, [this](const char* where) { maybe_die(where); });
}

kernel::LoopParts Life::parts() {
  return {
      *this,
      *executor_,
      simulation_.core.clock,
      *this,
      inbox_,
      {"/runs", "/workspaces", "/kept"},
      simulation_.plan.machine,
      [this](kernel::Role role, const Study& study) -> kernel::RoleAnswer {
        maybe_die("while a role is asked");
        if (study.spec.agents == "builtin") return agents::builtin_turn(role, study);
        return conversations_->turn(role, study);
      },
      [this](const Study& study) { package(study); },
      [this] { return kernel::sha256_hex(fmt::format("token {}", ++simulation_.tokens)).substr(0, 32); },
      [this] { return kernel::Draw(kernel::sha256_hex(fmt::format("draw {}", ++simulation_.draws)).substr(0, 32)); },
      [this](const std::string& key) { return simulation_.storage->remembered(key); }};
}

void Life::maybe_die(const char* where) {
  if (points_ > 0 && --points_ == 0) throw Died{where};
}

void Life::post(kernel::LoopMessage message) {
  if (const auto* command = std::get_if<kernel::Command>(&message))
    if (std::holds_alternative<kernel::ReportStart>(command->body) && !reported_at_ms_)
      reported_at_ms_ = simulation_.core.clock.uptime_ms;
  ++posted_;
  inbox_.post(std::move(message));
}

const Study* Life::study(const std::string& id) const {
  return loop_ ? loop_->state().study(id) : nullptr;
}

void Life::live() {
  Core& core = simulation_.core;
  core.note("kernel {} begins", simulation_.kernels);
  const kernel::State left = simulation_.storage->load_active();
  simulation_.witness.compare(left, "a new kernel");
  loop_ = std::make_unique<kernel::Loop>(parts());
  for (const auto& [id, study] : left.studies) {
    const bool stopped = study.state == kernel::StudyState::running ||
                         study.pause_reason == kernel::PauseReason::interrupted ||
                         study.pause_reason == kernel::PauseReason::disk;
    if (stopped) tell(id, kernel::Resume{core.clock.boot_id(), 0, {}});
  }
  loop_->run([this](const kernel::State& state) { return rests(state); });
}

/// Called when the loop has nothing more to do: lets the world go on until there is a message. Returns true once all is
/// over.
bool Life::rests(const kernel::State& state) {
  Core& core = simulation_.core;
  while (posted_ == 0) {
    if (simulation_.over()) return true;
    maybe_die("between two messages");
    if (wake(state)) break;
    if (!core.step()) simulation_.help();
    // Messages that come close to each other are taken at once.
    while (posted_ > 0 && core.next_at() && *core.next_at() <= core.clock.uptime_ms + 2 && core.dice.chance(0.5))
      core.step();
  }
  posted_ = 0;
  return false;
}

/// The loop waits for a message, or until the time at which it looks again by itself.
bool Life::wake(const kernel::State& state) {
  Core& core = simulation_.core;
  std::optional<std::int64_t> at;
  if (const auto retry = kernel::next_retry_ms(state, core.clock.now()))
    at = *retry + core.clock.uptime_ms - core.clock.now().boot_ms;
  if (reported_at_ms_) at = std::min(at.value_or(*reported_at_ms_ + 25), *reported_at_ms_ + 25);
  if (!at || (core.next_at() && *core.next_at() < *at)) return false;
  core.clock.uptime_ms = std::max(core.clock.uptime_ms, *at);
  reported_at_ms_.reset();
  core.note("the kernel looks by itself");
  inbox_.post(kernel::Inspect{"", [](const Study*) {}});
  return true;
}

void Life::append(const std::vector<kernel::Event>& events, const kernel::State& after) {
  Core& core = simulation_.core;
  maybe_die("before a commit");
  const bool full = simulation_.full_left > 0 && core.dice.chance(simulation_.plan.rates.full);
  simulation_.full_left -= full;
  if (full && !std::exchange(simulation_.has_reserve, false)) throw Died{"a commit that finds the disk full"};
  reported_at_ms_.reset();
  asked_roles_ = 0;
  simulation_.storage->append(events, after);
  std::set<std::string> touched;
  for (const kernel::Event& event : events) touched.insert(event.study);
  std::vector<kernel::StoredEvent> stored;
  for (const std::string& study : touched)
    for (kernel::StoredEvent& event : simulation_.storage->chain(study, simulation_.witness.events_of(study)))
      stored.push_back(std::move(event));
  std::ranges::sort(stored, {}, &kernel::StoredEvent::seq);
  if (stored.size() != events.size())
    broken("nothing that was stored is lost", "{} of {}", stored.size(), events.size());
  simulation_.witness.stored(stored, after);
  if (full) post(kernel::DiskFull{{kernel::ReasonCode::disk_full}});
  maybe_die("after a commit");
}

void Life::replay(const std::string& study, const std::function<void(const kernel::Event&)>& each) {
  simulation_.storage->replay(study, each);
}

void Life::committed(const kernel::Event& event, const kernel::State& state) {
  if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body))
    simulation_.machine.discard(state.study(event.study)->run(ended->run)->token);
  const bool other_code =
      std::holds_alternative<kernel::WorkspaceAmended>(event.body) && kernel::is_person(event.actor);
  if (other_code || std::holds_alternative<kernel::CancellationRequested>(event.body) ||
      std::holds_alternative<kernel::StudyConcluded>(event.body))
    conversations_->let_go(event.study);
}

void Life::refused(const kernel::Command& command, const std::string& reason) {
  simulation_.core.note("refused for {}: {}", command.study, reason);
}

void Life::package(const Study& study) {
  maybe_die("before packaging");
  Core& core = simulation_.core;
  kernel::ReportPackage report{"/ara", "/ara/report.html", study.sealed_head};
  if (report.head.empty()) report.head = simulation_.witness.head_of(study.id);
  if (core.dice.chance(simulation_.plan.rates.no_package)) {
    report = {};
    report.no_room = core.dice.chance(0.7);
    report.failure = {kernel::ReasonCode::disk_full};
  }
  core.later(core.dice.spread(9), [this, alive = alive_, id = study.id, report] {
    if (*alive) post(kernel::Command{id, kernel::kernel_actor, report});
  });
}

void Life::tell(const std::string& id, kernel::CommandBody body, const std::string& actor) {
  const Study* stored = simulation_.witness.state().study(id);
  if (!stored || stored->state == kernel::StudyState::ended) return;
  const auto* pause = std::get_if<kernel::Pause>(&body);
  const bool only_recorded =
      (pause && pause->reason != kernel::PauseReason::interrupted) || std::holds_alternative<kernel::Steer>(body) ||
      std::holds_alternative<kernel::RecordNode>(body) || std::holds_alternative<kernel::DecideGate>(body) ||
      std::holds_alternative<kernel::WithdrawHypothesis>(body) || std::holds_alternative<kernel::AmendWorkspace>(body);
  std::optional<kernel::Command> first;
  const bool broken_off = stored->spec.captured() && stored->pause_reason == kernel::PauseReason::interrupted;
  if (!only_recorded && !std::holds_alternative<kernel::Resume>(body) &&
      (stored->state == kernel::StudyState::running || broken_off))
    first = kernel::Command{id, kernel::person_actor, kernel::Resume{simulation_.core.clock.boot_id(), 0, {}}};
  const auto answer = [this, id](const kernel::CommandOutcome& outcome) {
    if (const std::string* why = kernel::why_not(outcome)) simulation_.core.note("{} answers: {}", id, *why);
  };
  post(kernel::ContinueStudy{*stored, {id, actor, std::move(body)}, answer, std::move(first), only_recorded});
}

}  // namespace sim
