#include "kernel/loop/loop.h"

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "kernel/decide/decide.h"
#include "kernel/domain/enum_names.h"
#include "kernel/runs/run_keys.h"

namespace kernel {

namespace {

/// Too short for a person to notice, but long compared with a commit.
constexpr std::int64_t held_ms = 20;
/// A run for which the wait for a commit counts. Runs that are measured by time are longer.
constexpr double short_run_s = 0.05;
/// So many short runs in a row make a quick study. A failure ends the row, so that no arm fails ahead.
constexpr int short_runs = 8;

}  // namespace

Loop::Loop(LoopParts parts) : parts_(std::move(parts)) {
  for (const auto& [launch, gpus] : parts_.executor.held_devices(parts_.places.runs)) lease_ended(launch, gpus);
}

void Loop::run(const std::function<bool(const State&)>& finished) {
  settle();
  while (!finished(state_)) {
    if (!take_messages()) return;
    settle();
  }
  commit();
}

/// Returns false if the loop must leave now.
bool Loop::take_messages() {
  // Retries count from the last check (`settled_`), so one that became due since then does not wait.
  std::optional<std::int64_t> until = next_retry_ms(state_, settled_);
  if (held_until_) until = std::min(until.value_or(*held_until_), *held_until_);
  if (until) *until = std::max<std::int64_t>(1, *until - parts_.clock.now().boot_ms);
  for (LoopMessage& message : parts_.inbox.take(until)) {
    std::visit([this](auto& one) { take(std::move(one)); }, message);
    if (std::exchange(leaving_, false)) return false;
  }
  return true;
}

void Loop::take(Command&& command) {
  decide_and_apply(command);
}

void Loop::take(CommandRequest&& request) {
  answer_when_durable(request.command, std::move(request.answer), request.then);
}

void Loop::take(Inspect&& inspect) {
  inspect.look(state_.study(inspect.study));
}

void Loop::take(Leave&&) {
  commit();
  leaving_ = true;
}

void Loop::take(Fault&& fault) {
  throw std::runtime_error(fault.what);
}

void Loop::take(ContinueStudy&& taken) {
  const std::string id = taken.study.id;
  // `recorded_only_` has what was recorded since the study was read.
  if (auto known = recorded_only_.studies.extract(id)) taken.study = std::move(known.mapped());
  if (taken.only_recorded && !state_.study(id)) return record_only(std::move(taken));
  const auto [place, fresh] = state_.studies.emplace(id, std::move(taken.study));
  const auto* resume = std::get_if<Resume>(&taken.command.body);
  if (fresh) {
    to_adopt_.push_back(id);
    end_of_last_kernel(place->second, resume || taken.first);
  }
  if (fresh && taken.first) decide_and_apply(*taken.first);
  // A `Resume` without changes does nothing to a study that runs already.
  if (!fresh && resume && place->second.state == StudyState::running && !resume->changes_anything())
    return taken.answer ? taken.answer(Done{}) : void();
  answer_when_durable(taken.command, std::move(taken.answer));
}

/// What an earlier kernel left behind when it ended, at its study's last event: the time since then counts for nothing.
void Loop::end_of_last_kernel(const Study& study, bool resumes) {
  const Time now = parts_.clock.now();
  // Replies to calls of an earlier kernel are lost with it.
  if (study.thinking.under_way > 0)
    decide_and_apply({study.id, kernel_actor, GiveUpCalls{"", {ReasonCode::kernel_ended_before_reply}}},
                     {now.wall_ms, study.last_boot_ms});
  if (study.state != StudyState::paused || !study.session_open || resumes) return;
  // It was paused while its runs went on. Only a new session has this kernel's clock.
  const Pause again{study.pause_reason.value_or(PauseReason::other), study.pause_detail};
  decide_and_apply({study.id, kernel_actor, Resume{parts_.clock.boot_id(), 0, {}}}, now);
  decide_and_apply({study.id, kernel_actor, again}, now);
}

void Loop::record_only(ContinueStudy&& taken) {
  const Command& command = taken.command;
  const Study& study = recorded_only_.studies.emplace(command.study, std::move(taken.study)).first->second;
  // The study did not run since its last event, so no time has passed for it.
  const Time now{parts_.clock.now().wall_ms, study.last_boot_ms};
  const Decision decision = decide(recorded_only_, command, {now, parts_.draw()});
  for (const Event& event : decision.events) apply(recorded_only_, event);
  if (!decision.events.empty()) parts_.store.append(decision.events, recorded_only_);
  for (const Event& event : decision.events) parts_.observer.committed(event, recorded_only_);
  if (taken.answer) taken.answer(decision.outcome);
}

/// A study that could go on if it had the devices does not wait for them without end.
void Loop::take(DevicesHeld&& held) {
  for (const std::string& id : studies_without_devices(state_, parts_.machine, parts_.clock.now()))
    decide_and_apply({id, kernel_actor, Pause{PauseReason::devices, held.why}});
  commit();
}

/// Nothing new starts until a person has made room and resumes. Studies that only need their artifact may still try.
void Loop::take(DiskFull&& full) {
  for (const auto& [id, study] : state_.studies)
    if (study.state == StudyState::running && study.phase() != Phase::packaging && !study.cancelling)
      decide_and_apply({id, kernel_actor, Pause{PauseReason::disk, full.why}});
  commit();
}

void Loop::answer_when_durable(const Command& command, Answer&& answer, const std::vector<Command>& then) {
  const std::size_t before = uncommitted_.size();
  CommandOutcome outcome = decide_and_apply(command);
  for (const Command& next : then)
    if (!why_not(outcome)) outcome = decide_and_apply(next);
  if (!answer) return;
  if (why_not(outcome) && uncommitted_.size() == before) return answer(outcome);
  answers_.emplace_back(std::move(answer), std::move(outcome));
}

CommandOutcome Loop::decide_and_apply(const Command& command) {
  return decide_and_apply(command, parts_.clock.now());
}

CommandOutcome Loop::decide_and_apply(const Command& command, Time now) {
  Decision decision = decide(state_, command, {now, parts_.draw()});
  const std::string* why = why_not(decision.outcome);
  if (why && decision.events.empty()) parts_.observer.refused(command, *why);
  for (Event& event : decision.events) {
    const auto launch_ended = [&](int run) {
      const Study& study = *state_.study(event.study);
      const Run& ended = *study.run(run);
      // The devices of a fork's past were those of the other study.
      if (!ended.token.empty() && !std::holds_alternative<ForkStudy>(command.body))
        lease_ended(study.id + "/" + launch_name(ended.token), ended.lease.gpus);
    };
    if (auto* ended = std::get_if<RunEnded>(&event.body)) {
      if (const auto most = most_beside_.extract({event.study, ended->run}))
        ended->beside = std::max(ended->beside, most.mapped());
      launch_ended(ended->run);
      note_length(*state_.study(event.study), *ended);
    }
    // The executor frees the devices of such a launch, too.
    if (const auto* again = std::get_if<RunRequeued>(&event.body)) {
      most_beside_.erase({event.study, again->run});
      launch_ended(again->run);
    }
    // With its pictures in the log, or once a person has decided on its secrets, the study can be packaged.
    if (std::holds_alternative<StudyPaused>(event.body) || std::holds_alternative<PicturesDrawn>(event.body) ||
        std::holds_alternative<GateDecided>(event.body))
      packaging_.erase(event.study);
    apply(state_, event);
    uncommitted_.push_back(std::move(event));
  }
  return std::move(decision.outcome);
}

/// Returns true if there are new events, because they may have changed what is due.
bool Loop::perform_due(bool durable) {
  const std::size_t before = uncommitted_.size();
  for (const Effect& effect : next_effects(state_, parts_.clock.now()))
    std::visit([&](const auto& one) { perform(one, durable); }, effect);
  return uncommitted_.size() > before;
}

void Loop::perform(const Command& command, bool durable) {
  if (!durable) decide_and_apply(command);
}

void Loop::perform(const AskRole& ask, bool durable) {
  if (durable) return;
  const std::size_t before = uncommitted_.size();
  Reason why{ReasonCode::agent_says_nothing};
  const RoleAnswer said = parts_.agent(ask.role, *state_.study(ask.study));
  for (const Command& command : said.commands) {
    const CommandOutcome outcome = decide_and_apply(command);
    const auto* rejection = std::get_if<Rejection>(&outcome);
    if (rejection && !rejection->stated.empty())
      why = rejection->stated;
    else if (why_not(outcome))
      why = {ReasonCode::command_refused};
  }
  if (said.thinking || uncommitted_.size() > before) return;
  // The role would answer the same again, so the study pauses for a person, and other studies go on.
  decide_and_apply({ask.study, kernel_actor,
                    Pause{PauseReason::agent,
                          {ReasonCode::agent_without_progress,
                           {{"role", std::string(name(ask.role))}, {"why", std::vector{why}}}}}});
  if (uncommitted_.size() == before) throw std::logic_error(ask.study + " can be neither worked on nor paused");
}

void Loop::perform(const PackageStudy& package, bool durable) {
  if (durable && packaging_.insert(package.study).second) parts_.package(*state_.study(package.study));
}

void Loop::perform(const KillRun& kill, bool durable) {
  if (durable && killed_.insert({kill.study, kill.run}).second)
    parts_.executor.cancel(state_.study(kill.study)->run_id(kill.run));
}

Loop::Intents Loop::commit_intents() {
  settled_ = parts_.clock.now();
  std::vector<MemoryShortage> shortages;
  Intents intents{admit(state_, parts_.machine, settled_, &shortages), {}};
  for (const MemoryShortage& shortage : shortages)
    if (told_short_.insert({shortage.study, shortage.run}).second) parts_.observer.memory_is_short(shortage);
  record(intents.at_once);
  intents.in_turn = admit_ahead(
      state_, parts_.machine, [this](const Study& study, const Run& run) { return is_quick(study, run); }, settled_);
  record(intents.in_turn);
  for (const Grant& grant : intents.in_turn) in_turn_[grant.study] = state_.study(grant.study)->jobs;
  if (!intents.at_once.empty() || !intents.in_turn.empty()) count_parallel_runs();
  commit_unless_held();
  return intents;
}

void Loop::record(const std::vector<Grant>& grants) {
  for (const Grant& grant : grants)
    decide_and_apply({grant.study, kernel_actor, StartRun{grant.run, LaunchToken(parts_.token()), grant.lease}});
}

bool Loop::Intents::start(const std::string& study, int run) const {
  const auto is_it = [&](const Grant& grant) { return grant.study == study && grant.run == run; };
  return std::ranges::any_of(at_once, is_it) || std::ranges::any_of(in_turn, is_it);
}

void Loop::note_length(const Study& study, const RunEnded& ended) {
  if (!ended.cached_from.empty()) return;
  const Run& run = *study.run(ended.run);
  const bool is_short = ended.state == RunState::succeeded && ended.outcome.usage.wall_s < short_run_s;
  Lengths& lengths = lengths_[study.id];
  lengths.short_in_row = is_short ? lengths.short_in_row + 1 : 0;
  lengths.last[{run.cell, run.stage}] = is_short;
}

bool Loop::is_quick(const Study& study, const Run& run) const {
  const auto known = lengths_.find(study.id);
  if (known == lengths_.end() || known->second.short_in_row < short_runs) return false;
  const auto last = known->second.last.find({run.cell, run.stage});
  return last != known->second.last.end() && last->second;
}

/// Takes back what waits for its turn where that would not be recorded ahead now: the study pauses, a person must
/// decide, a run failed, another study came, or -j changed.
void Loop::withdraw_waiting() {
  std::erase_if(in_turn_, [this](const auto& one) {
    const Study* study = state_.study(one.first);
    const bool stays = study && study->jobs == one.second && lengths_[one.first].short_in_row >= short_runs &&
                       may_go_ahead(state_, parts_.machine, *study);
    if (!stays) parts_.executor.withdraw(parts_.places.runs + "/" + one.first);
    return !stays;
  });
}

/// The processes have ended, but their memory on devices may not be free yet.
void Loop::lease_ended(const std::string& launch, const std::vector<std::string>& gpus) {
  if (gpus.empty()) return;
  const auto [known, fresh] = freeing_.try_emplace(launch, gpus);
  if (fresh)
    parts_.machine.unclean.insert(gpus.begin(), gpus.end());
  else if (known->second.empty())
    freeing_.erase(known);
}

void Loop::take(DevicesFreed&& freed) {
  const auto known = freeing_.extract(freed.launch);
  // Another launch may have ended on the same device.
  const auto is_held = [this](const std::string& gpu) {
    return std::ranges::any_of(freeing_, [&](const auto& one) { return std::ranges::count(one.second, gpu) > 0; });
  };
  if (known)
    for (const std::string& gpu : known.mapped())
      if (!is_held(gpu)) parts_.machine.unclean.erase(gpu);
  // Its end comes later, and nothing says again that they are free.
  if (!known || lives(freed.launch)) freeing_[freed.launch] = {};
}

bool Loop::lives(const std::string& launch) const {
  const Study* study = state_.study(launch.substr(0, launch.find('/')));
  return study && std::ranges::any_of(study->live, [&](int run) {
           return study->id + "/" + launch_name(study->run(run)->token) == launch;
         });
}

/// Counts, for each live run, the others that may run at the same time. Of a study with runs that wait for their turn,
/// -j are: the end of one is recorded after the next has started.
void Loop::count_parallel_runs() {
  int all = 0;
  for (const auto& [id, study] : state_.studies) {
    const int live = static_cast<int>(study.live.size());
    all += in_turn_.contains(id) ? std::min(live, study.jobs) : live;
  }
  for (const auto& [id, study] : state_.studies)
    for (const int run : study.live) {
      int& most = most_beside_[{id, run}];
      most = std::max(most, all - 1);
    }
}

/// Events that only report are stored with the next events, if these come soon. This saves a commit per run, and a lost
/// report would be found again in the run folder.
void Loop::commit_unless_held() {
  const bool may_wait = answers_.empty() && !uncommitted_.empty() && std::ranges::all_of(uncommitted_, only_reports);
  if (may_wait && !held_until_) held_until_ = settled_.boot_ms + held_ms;
  if (!may_wait || settled_.boot_ms >= *held_until_) commit();
}

void Loop::commit() {
  held_until_.reset();
  if (!uncommitted_.empty()) {
    parts_.store.append(uncommitted_, state_);
    for (const Event& event : uncommitted_) parts_.observer.committed(event, state_);
    uncommitted_.clear();
  }
  for (const auto& [answer, outcome] : std::exchange(answers_, {})) answer(outcome);
}

/// Replaces runs by records of earlier studies. Returns true if it did, because that may change what is due.
bool Loop::reuse_runs() {
  bool found = false;
  if (!parts_.remembered) return found;
  for (auto& [id, study] : state_.studies) {
    if (!study.spec.cache || study.state != StudyState::running || study.waiting_gate()) continue;
    const std::vector<int> waiting(study.queue.begin(), study.queue.end());
    for (const int number : waiting) {
      const Run& run = *study.run(number);
      if (!may_reuse(study, run) || !looked_up_.insert({id, number}).second) continue;
      std::optional<RunEnded> record = parts_.remembered(cache_key(study, run));
      if (!record || run_study(record->cached_from) == id) continue;
      record->run = number;
      const CommandOutcome outcome = decide_and_apply({id, kernel_actor, ReuseRun{std::move(*record)}});
      found |= why_not(outcome) == nullptr;
    }
  }
  return found;
}

void Loop::settle() {
  // Each step may make the next one due.
  do
    while (perform_due(false)) {
    }
  while (reuse_runs());
  withdraw_waiting();
  const Intents intents = commit_intents();
  // The last first: each that never began goes back to the front of the queue.
  for (const std::string& id : std::exchange(to_adopt_, {}))
    for (const Study& study = *state_.study(id); const int number : std::views::reverse(study.live))
      if (!intents.start(id, number)) parts_.executor.adopt(job_of(study, *study.run(number), parts_.places));
  const auto job = [this](const Grant& grant) {
    const Study& study = *state_.study(grant.study);
    return job_of(study, *study.run(grant.run), parts_.places);
  };
  for (const Grant& grant : intents.at_once) parts_.executor.start(job(grant));
  for (const Grant& grant : intents.in_turn) parts_.executor.start_in_turn(job(grant), state_.study(grant.study)->jobs);
  perform_due(true);
}

}  // namespace kernel
