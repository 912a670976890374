#include "kernel/loop.h"

#include <stdexcept>

#include "kernel/decide.h"
#include "kernel/shapes.h"

namespace kernel {

void Loop::recover(const std::vector<Command>& resume) {
  for (const Command& command : resume) decide_and_apply(command);
  commit();
  for (const auto& [id, study] : state_.studies)
    for (const int number : study.live) parts_.executor.adopt(job_of(study, *study.run(number), parts_.places));
  settle();
}

void Loop::run(const std::function<bool(const State&)>& finished) {
  while (!finished(state_)) {
    if (!take_messages()) return;
    settle();
  }
}

/// False: leave now.
bool Loop::take_messages() {
  for (const Message& message : parts_.inbox.take()) {
    if (std::holds_alternative<Leave>(message)) {
      commit();
      return false;
    }
    if (const auto* fault = std::get_if<Fault>(&message)) throw std::runtime_error(fault->what);
    if (std::holds_alternative<Drain>(message)) draining_ = true;
    if (const auto* command = std::get_if<Command>(&message)) decide_and_apply(*command);
  }
  return true;
}

void Loop::decide_and_apply(const Command& command) {
  Decision decision = decide(state_, command, parts_.clock.now());
  if (const auto* rejection = std::get_if<Rejection>(&decision)) {
    parts_.observer.refused(command, rejection->reason);
    return;
  }
  for (Event& event : std::get<std::vector<Event>>(decision)) {
    apply(state_, event);
    uncommitted_.push_back(std::move(event));
  }
}

/// Agents are asked until none is due: each answer is decided at once.
void Loop::ask_agents() {
  for (bool asked = true; asked;) {
    asked = false;
    for (const Effect& effect : next_effects(state_, {draining_, parts_.clock.now()})) {
      if (const auto* pause = std::get_if<PauseStudy>(&effect))
        decide_and_apply({pause->study, "kernel", Pause{pause->reason, pause->detail}});
      const auto* ask = std::get_if<AskRole>(&effect);
      if (!ask) continue;
      const std::size_t before = uncommitted_.size();
      for (const Command& command : parts_.agent(ask->role, *state_.study(ask->study))) decide_and_apply(command);
      asked = uncommitted_.size() > before;
      if (!asked)
        throw std::logic_error("the " + std::string(name(ask->role)) + " agent makes no progress in " + ask->study);
    }
  }
}

std::vector<LaunchRun> Loop::commit_intents() {
  std::vector<LaunchRun> launches;
  for (const Effect& effect : next_effects(state_, {draining_, parts_.clock.now()}))
    if (const auto* launch = std::get_if<LaunchRun>(&effect)) launches.push_back(*launch);
  for (const LaunchRun& launch : launches)
    decide_and_apply({launch.study, "kernel", StartRun{launch.run, parts_.token()}});
  if (draining_)
    for (const auto& [id, study] : state_.studies)
      if (study.state == StudyState::running && study.live.empty() && study.stage() != Stage::packaging)
        decide_and_apply({id, "person", Pause{"interrupted", ""}});
  commit();
  return launches;
}

void Loop::commit() {
  if (uncommitted_.empty()) return;
  parts_.store.append(uncommitted_, state_);
  for (const Event& event : uncommitted_) parts_.observer.committed(event, state_);
  uncommitted_.clear();
}

void Loop::settle() {
  ask_agents();
  for (const LaunchRun& launch : commit_intents()) {
    const Study& study = *state_.study(launch.study);
    parts_.executor.start(job_of(study, *study.run(launch.run), parts_.places));
  }
  for (const Effect& effect : next_effects(state_, {draining_, parts_.clock.now()}))
    if (const auto* package = std::get_if<PackageStudy>(&effect))
      if (packaging_.insert(package->study).second) parts_.package(*state_.study(package->study));
}

}  // namespace kernel
