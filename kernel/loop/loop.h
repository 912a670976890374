#pragma once
// The deciding thread: takes messages, decides, commits, applies, then performs what the state calls for. Owns State;
// borrows everything else for its lifetime. Runs on the thread that calls `run`.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/loop/admission.h"
#include "kernel/loop/due.h"
#include "kernel/loop/event_store.h"
#include "kernel/loop/executor.h"
#include "kernel/loop/inbox.h"
#include "kernel/loop/observer.h"
#include "kernel/runs/job.h"

namespace kernel {

/// What a role says when it is asked.
struct RoleAnswer {
  RoleAnswer(std::vector<Command> at_once = {}, bool works = false) : commands(std::move(at_once)), thinking(works) {}
  std::vector<Command> commands;
  bool thinking;  ///< It works on it.
};

/// The world as the loop needs it.
struct LoopParts {
  EventStore& store;
  Executor& executor;
  Clock& clock;
  Observer& observer;
  Inbox& inbox;
  Places places;
  Machine machine;
  /// One turn of a role, at once; an agent that thinks longer says so, and its commands come through the inbox. It is
  /// asked again whenever anything has happened and the study is still at that stage.
  std::function<RoleAnswer(Role, const Study&)> agent;
  /// Begins to package the study elsewhere; ReportPackage comes through the inbox.
  std::function<void(const Study&)> package;
  /// Unguessable and never twice the same.
  std::function<std::string()> token;
  /// The record of an earlier run with that key, for studies with `cache: true`; none: every run is run.
  std::function<std::optional<RunEnded>(const std::string& key)> remembered = {};
};

class Loop {
 public:
  explicit Loop(LoopParts parts);

  /// Until `finished` says so, or until told to leave.
  void run(const std::function<bool(const State&)>& finished);

  const State& state() const { return state_; }

 private:
  bool take_messages();
  void take(Command&&);
  void take(Request&&);
  void take(Inspect&&);
  void take(TakeUp&&);
  void take(DevicesFreed&&);
  void take(DiskFull&&);
  void take(Leave&&);
  void take(Fault&&);
  void record_aside(TakeUp&&);
  void answer_when_durable(const Command&, Answer&&, const std::vector<Command>& then = {});
  Outcome decide_and_apply(const Command&);
  bool bring_back();
  bool perform_due(bool durable);
  // What changes a study is decided before the commit; what acts on the world comes after it, when `durable`.
  void perform(const Command&, bool durable);
  void perform(const AskRole&, bool durable);
  void perform(const PackageStudy&, bool durable);
  void perform(const KillRun&, bool durable);
  std::vector<Grant> commit_intents();
  void lease_ended(const std::string& run, const std::vector<std::string>& gpus);
  void count_parallel_runs(const std::vector<Grant>&);
  void commit();
  void commit_unless_held();
  void settle();

  bool leaving_ = false;
  State state_;
  State aside_;  ///< Studies that were only told something; nobody works on them.
  LoopParts parts_;
  Time settled_;  ///< When it was last looked at what may start.
  std::vector<Event> uncommitted_;
  std::int64_t held_until_ = 0;  ///< Reports that wait for something to be committed with; 0: none do.
  std::vector<std::pair<Answer, Outcome>> answers_;  ///< Of requests whose events are not durable yet.
  std::vector<std::string> to_adopt_;                ///< Studies whose live runs an earlier kernel started.
  std::set<std::string> packaging_;
  std::set<std::pair<std::string, int>> looked_up_;  ///< Runs that an earlier one was looked for.
  /// Run → the devices it had: ended, and not known to be free; or, with none, free before its end was recorded.
  std::map<std::string, std::vector<std::string>> freeing_;
  std::set<std::pair<std::string, int>> killed_;            ///< Told to the executor.
  std::map<std::pair<std::string, int>, int> most_beside_;  ///< Live run → the most others that lived beside it.
};

}  // namespace kernel
