#include "kernel/loop/loop.h"

#include <algorithm>
#include <stdexcept>

#include "kernel/decide/decide.h"
#include "kernel/domain/enum_names.h"
#include "kernel/runs/run_keys.h"

namespace kernel {

namespace {

/// Short beside what a person notices, long beside a commit.
constexpr std::int64_t held_ms = 20;

}  // namespace

Loop::Loop(LoopParts parts) : parts_(std::move(parts)) {
  for (const auto& [run, gpus] : parts_.executor.held_devices(parts_.places.runs)) lease_ended(run, gpus);
}

void Loop::run(const std::function<bool(const State&)>& finished) {
  settle();
  while (!finished(state_)) {
    if (!take_messages()) return;
    settle();
  }
  commit();
}

/// False: leave now.
bool Loop::take_messages() {
  // Counted from when the last look was taken: what has become due since is not waited for.
  const std::int64_t retry = next_retry_ms(state_, settled_);
  const std::int64_t next = retry > 0 && held_until_ > 0 ? std::min(retry, held_until_) : std::max(retry, held_until_);
  const std::int64_t wait = next > 0 ? std::max<std::int64_t>(1, next - parts_.clock.now().boot_ms) : 0;
  for (Message& message : parts_.inbox.take(wait)) {
    if (std::holds_alternative<Leave>(message)) {
      commit();
      return false;
    }
    if (const auto* full = std::get_if<DiskFull>(&message)) pause_all(full->what);
    if (const auto* fault = std::get_if<Fault>(&message)) throw std::runtime_error(fault->what);
    if (const auto* command = std::get_if<Command>(&message)) decide_and_apply(*command);
    if (auto* request = std::get_if<Request>(&message))
      answer_when_durable(request->command, std::move(request->answer), request->then);
    if (const auto* inspect = std::get_if<Inspect>(&message)) inspect->look(state_.study(inspect->study));
    if (auto* taken = std::get_if<TakeUp>(&message)) take_up(std::move(*taken));
    if (const auto* freed = std::get_if<DevicesFreed>(&message)) devices_freed(freed->run);
  }
  return true;
}

void Loop::take_up(TakeUp&& taken) {
  const std::string id = taken.study.id;
  // What has been said to it since it was read is known here.
  if (auto known = aside_.studies.extract(id)) taken.study = std::move(known.mapped());
  if (taken.only_recorded && !state_.study(id)) return record_aside(std::move(taken));
  const auto [place, fresh] = state_.studies.emplace(id, std::move(taken.study));
  if (fresh) to_adopt_.push_back(id);
  // What an earlier kernel asked models: it is gone, and so are their replies.
  if (fresh && place->second.thinking.under_way > 0)
    decide_and_apply({id, "kernel", GiveUpCalls{"", "the kernel ended before the reply came"}});
  if (fresh && taken.first) decide_and_apply(*taken.first);
  const auto* resume = std::get_if<Resume>(&taken.command.body);
  // Whoever waits for a study that goes on already changes nothing.
  if (!fresh && resume && place->second.state == StudyState::running && !resume->changes_anything())
    return taken.answer ? taken.answer(std::nullopt) : void();
  answer_when_durable(taken.command, std::move(taken.answer));
}

void Loop::record_aside(TakeUp&& taken) {
  const Command& command = taken.command;
  const Study& study = aside_.studies.emplace(command.study, std::move(taken.study)).first->second;
  // Nothing has happened to it since its last event, whatever the clock says now.
  const Time now{parts_.clock.now().wall_ms, study.last_boot_ms};
  Decision decision = decide(aside_, command, now);
  if (const auto* rejection = std::get_if<Rejection>(&decision)) {
    if (taken.answer) taken.answer(rejection->reason);
    return;
  }
  const auto& events = std::get<std::vector<Event>>(decision);
  for (const Event& event : events) apply(aside_, event);
  parts_.store.append(events, aside_);
  for (const Event& event : events) parts_.observer.committed(event, aside_);
  if (taken.answer) taken.answer(std::nullopt);
}

/// Nothing new starts until somebody has made room and resumes; those that have only their artifact left may try.
void Loop::pause_all(const std::string& why) {
  for (const auto& [id, study] : state_.studies)
    if (study.state == StudyState::running && study.phase() != Phase::packaging && !study.cancelling)
      decide_and_apply({id, "kernel", Pause{"disk", why}});
  commit();
}

void Loop::answer_when_durable(const Command& command, Answer&& answer, const std::vector<Command>& then) {
  auto refusal = decide_and_apply(command);
  for (const Command& next : then)
    if (!refusal) refusal = decide_and_apply(next);
  if (refusal) return answer ? answer(refusal) : void();
  if (answer) answers_.push_back(std::move(answer));
}

std::optional<std::string> Loop::decide_and_apply(const Command& command) {
  Decision decision = decide(state_, command, parts_.clock.now());
  if (const auto* rejection = std::get_if<Rejection>(&decision)) {
    parts_.observer.refused(command, rejection->reason);
    return rejection->reason;
  }
  for (Event& event : std::get<std::vector<Event>>(decision)) {
    if (auto* ended = std::get_if<RunEnded>(&event.body)) {
      if (const auto company = company_.extract({event.study, ended->run}))
        ended->beside = std::max(ended->beside, company.mapped());
      const Study& study = *state_.study(event.study);
      lease_ended(study.run_id(ended->run), study.run(ended->run)->lease.gpus);
    }
    // The executor gives back what such a launch had, too.
    if (const auto* again = std::get_if<RunRequeued>(&event.body)) {
      const Study& study = *state_.study(event.study);
      lease_ended(study.run_id(again->run), study.run(again->run)->lease.gpus);
    }
    if (std::holds_alternative<StudyPaused>(event.body)) packaging_.erase(event.study);
    apply(state_, event);
    uncommitted_.push_back(std::move(event));
  }
  return std::nullopt;
}

/// Until nothing more is due: each step may call for the next.
void Loop::do_what_is_due() {
  for (bool moved = true; moved;) {
    moved = false;
    for (const Effect& effect : next_effects(state_, parts_.clock.now())) moved |= perform(effect);
  }
}

/// True: there are new events, and what else was due may have changed.
bool Loop::perform(const Effect& effect) {
  const std::size_t before = uncommitted_.size();
  if (const auto* pause = std::get_if<PauseStudy>(&effect)) {
    decide_and_apply({pause->study, "kernel", Pause{pause->reason, pause->detail}});
  } else if (const auto* gate = std::get_if<AskPerson>(&effect)) {
    decide_and_apply({gate->study, "kernel", OpenGate{gate->position}});
  } else if (const auto* late = std::get_if<AnswerGate>(&effect)) {
    decide_and_apply({late->study, "kernel", DecideGate{late->gate, late->approve, "nobody decided in time"}});
  } else if (const auto* late_code = std::get_if<EndCodeSearch>(&effect)) {
    decide_and_apply({late_code->study, "kernel", EndCode{late_code->why}});
  } else if (const auto* bare = std::get_if<SetUpEnvironment>(&effect)) {
    decide_and_apply({bare->study, "kernel", RequestSetup{}});
  } else if (const auto* cancelled = std::get_if<ConcludeCancelled>(&effect)) {
    decide_and_apply({cancelled->study, "kernel", Conclude{}});
  } else if (const auto* ask = std::get_if<AskRole>(&effect)) {
    std::string why = "it says nothing";
    const RoleAnswer said = parts_.agent(ask->role, *state_.study(ask->study));
    for (const Command& command : said.commands) why = decide_and_apply(command).value_or(why);
    if (said.thinking) return uncommitted_.size() > before;
    // Asked again it would say the same: a person may help, and other studies go on.
    if (uncommitted_.size() == before)
      decide_and_apply({ask->study, "kernel",
                        Pause{"agent", "the " + std::string(name(ask->role)) + " agent makes no progress: " + why}});
    if (uncommitted_.size() == before) throw std::logic_error(ask->study + " can be neither worked on nor paused");
  }
  return uncommitted_.size() > before;
}

std::vector<Grant> Loop::commit_intents() {
  settled_ = parts_.clock.now();
  std::vector<Grant> grants = admit(state_, parts_.machine, settled_);
  for (const Grant& grant : grants)
    decide_and_apply({grant.study, "kernel", StartRun{grant.run, LaunchToken(parts_.token()), grant.lease}});
  count_company(grants);
  commit_unless_held();
  return grants;
}

/// The tree is gone; what it had on its devices may not be.
void Loop::lease_ended(const std::string& run, const std::vector<std::string>& gpus) {
  if (gpus.empty()) return;
  const auto [known, fresh] = freeing_.try_emplace(run, gpus);
  if (fresh)
    parts_.machine.unclean.insert(gpus.begin(), gpus.end());
  else if (known->second.empty())
    freeing_.erase(known);
}

void Loop::devices_freed(const std::string& run) {
  const auto known = freeing_.extract(run);
  if (!known) {
    freeing_[run] = {};
    return;
  }
  for (const std::string& gpu : known.mapped()) parts_.machine.unclean.erase(gpu);
}

/// Everything that lives now lives beside everything else that does.
void Loop::count_company(const std::vector<Grant>& grants) {
  if (grants.empty()) return;
  int live = 0;
  for (const auto& [id, study] : state_.studies) live += static_cast<int>(study.live.size());
  for (const auto& [id, study] : state_.studies)
    for (const int run : study.live) {
      int& most = company_[{id, run}];
      most = std::max(most, live - 1);
    }
}

/// That runs have begun is only seen, and whoever comes after us would see it again: it is stored with what happens
/// next, if that is soon. A commit less for each run.
void Loop::commit_unless_held() {
  const bool may_wait =
      answers_.empty() && !uncommitted_.empty() && std::all_of(uncommitted_.begin(), uncommitted_.end(), only_reports);
  if (may_wait && held_until_ == 0) held_until_ = settled_.boot_ms + held_ms;
  if (!may_wait || settled_.boot_ms >= held_until_) commit();
}

void Loop::commit() {
  held_until_ = 0;
  if (!uncommitted_.empty()) {
    parts_.store.append(uncommitted_, state_);
    for (const Event& event : uncommitted_) parts_.observer.committed(event, state_);
    uncommitted_.clear();
  }
  for (const Answer& answer : std::exchange(answers_, {})) answer(std::nullopt);
}

/// Runs that an earlier study's record may stand for. True: there were some, and what is due may have changed.
bool Loop::bring_back() {
  bool found = false;
  if (!parts_.remembered) return found;
  for (auto& [id, study] : state_.studies) {
    if (!study.spec.cache || study.state != StudyState::running || study.waiting_gate()) continue;
    const std::vector<int> waiting(study.queue.begin(), study.queue.end());
    for (const int number : waiting) {
      const Run& run = *study.run(number);
      if (!may_come_back(study, run) || !looked_up_.insert({id, number}).second) continue;
      std::optional<RunEnded> record = parts_.remembered(cache_key(study, run));
      if (!record) continue;
      record->run = number;
      found |= !decide_and_apply({id, "kernel", BringBack{std::move(*record)}});
    }
  }
  return found;
}

void Loop::settle() {
  do_what_is_due();
  while (bring_back()) do_what_is_due();
  const std::vector<Grant> grants = commit_intents();
  for (const std::string& id : std::exchange(to_adopt_, {}))
    for (const Study& study = *state_.study(id); const int number : study.live)
      if (std::none_of(grants.begin(), grants.end(), [&](const Grant& g) { return g.study == id && g.run == number; }))
        parts_.executor.adopt(job_of(study, *study.run(number), parts_.places));
  for (const Grant& grant : grants) {
    const Study& study = *state_.study(grant.study);
    parts_.executor.start(job_of(study, *study.run(grant.run), parts_.places));
  }
  for (const Effect& effect : next_effects(state_, parts_.clock.now())) {
    if (const auto* package = std::get_if<PackageStudy>(&effect))
      if (packaging_.insert(package->study).second) parts_.package(*state_.study(package->study));
    if (const auto* kill = std::get_if<KillRun>(&effect))
      if (killed_.insert({kill->study, kill->run}).second)
        parts_.executor.cancel(state_.study(kill->study)->run_id(kill->run));
  }
}

}  // namespace kernel
