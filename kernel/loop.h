#pragma once
// The deciding thread: takes messages, decides, commits, applies, then performs what the state calls for. Owns State;
// borrows everything else for its lifetime. Runs on the thread that calls `run`.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kernel/effects.h"
#include "kernel/event_store.h"
#include "kernel/inbox.h"
#include "kernel/job.h"
#include "kernel/observer.h"

namespace kernel {

/// The world as the loop needs it.
struct LoopParts {
  EventStore& store;
  Executor& executor;
  Clock& clock;
  Observer& observer;
  Inbox& inbox;
  Places places;
  /// One turn of a role: commands, at once. An agent that thinks longer answers through the inbox (and returns none).
  std::function<std::vector<Command>(Role, const Study&)> agent;
  /// Begins to package the study elsewhere; ReportPackage comes through the inbox.
  std::function<void(const Study&)> package;
  /// Unguessable and never twice the same.
  std::function<std::string()> token;
};

class Loop {
 public:
  Loop(State state, LoopParts parts) : state_(std::move(state)), parts_(std::move(parts)) {}

  /// Takes over what an earlier kernel left: its live runs are adopted, its open studies resumed.
  /// `resume`: the studies to go on with, with what is changed for each.
  void recover(const std::vector<Command>& resume);
  /// Until `finished` says so, or until told to leave.
  void run(const std::function<bool(const State&)>& finished);

  const State& state() const { return state_; }

 private:
  bool take_messages();
  void decide_and_apply(const Command&);
  void ask_agents();
  std::vector<LaunchRun> commit_intents();
  void commit();
  void settle();

  State state_;
  LoopParts parts_;
  std::vector<Event> uncommitted_;
  std::set<std::string> packaging_;
  bool draining_ = false;
};

}  // namespace kernel
