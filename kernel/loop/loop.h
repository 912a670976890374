#pragma once
// The deciding loop: takes messages, decides, applies, commits, then performs what the state calls for. Owns State;
// borrows everything else for its lifetime. Runs on the thread that calls `run`.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/loop/admission.h"
#include "kernel/loop/due.h"
#include "kernel/loop/event_ports.h"
#include "kernel/loop/executor.h"
#include "kernel/loop/inbox.h"
#include "kernel/runs/job.h"

namespace kernel {

/// The answer of a role to one turn.
struct RoleAnswer {
  RoleAnswer(std::vector<Command> at_once = {}, bool works = false) : commands(std::move(at_once)), thinking(works) {}
  std::vector<Command> commands;
  bool thinking;  ///< The role is working on it.
};

/// Everything outside the loop that it uses.
struct LoopParts {
  EventStore& store;
  Executor& executor;
  Clock& clock;
  Observer& observer;
  Inbox& inbox;
  Places places;
  Machine machine;
  /// One turn of a role, which returns at once. An agent that takes longer says so, and its commands come through the
  /// inbox. It is asked again after every event while the study is at that phase.
  std::function<RoleAnswer(Role, const Study&)> agent;
  /// Begins to package the study outside the loop; ReportPackage comes through the inbox.
  std::function<void(const Study&)> package;
  /// Returns a token that cannot be guessed and is never repeated.
  std::function<std::string()> token;
  /// Returns fresh random bits.
  std::function<Draw()> draw;
  /// The record of an earlier run with that key, for studies with `cache: true`; none if the run must be executed.
  std::function<std::optional<RunEnded>(const std::string& key)> remembered = {};
};

class Loop {
 public:
  explicit Loop(LoopParts parts);

  /// Runs until `finished` returns true or a Leave arrives.
  void run(const std::function<bool(const State&)>& finished);

  const State& state() const { return state_; }

 private:
  bool take_messages();
  void take(Command&&);
  void take(CommandRequest&&);
  void take(Inspect&&);
  void take(ContinueStudy&&);
  void take(DevicesFreed&&);
  void take(DevicesHeld&&);
  void take(DiskFull&&);
  void take(Leave&&);
  void take(Fault&&);
  void record_only(ContinueStudy&&);
  void answer_when_durable(const Command&, Answer&&, const std::vector<Command>& then = {});
  CommandOutcome decide_and_apply(const Command&);
  CommandOutcome decide_and_apply(const Command&, Time now);
  void end_of_last_kernel(const Study&, bool resumes);
  bool reuse_runs();
  bool perform_due(bool durable);
  // Effects that change a study run before the commit; effects on the outside run after it, with `durable`.
  void perform(const Command&, bool durable);
  void perform(const AskRole&, bool durable);
  void perform(const PackageStudy&, bool durable);
  void perform(const KillRun&, bool durable);
  /// What starts after a commit.
  struct Intents {
    std::vector<Grant> at_once, in_turn;

    bool start(const std::string& study, int run) const;
  };
  Intents commit_intents();
  void record(const std::vector<Grant>&);
  void note_length(const Study&, const RunEnded&);
  bool is_quick(const Study&, const Run&) const;
  void withdraw_waiting();
  void lease_ended(const std::string& launch, const std::vector<std::string>& gpus);
  bool lives(const std::string& launch) const;
  void count_parallel_runs();
  void commit();
  void commit_unless_held();
  void settle();

  bool leaving_ = false;
  State state_;
  State recorded_only_;  ///< Studies of which the loop only recorded a command; it does not run them.
  LoopParts parts_;
  Time settled_;  ///< When runs were last admitted.
  std::vector<Event> uncommitted_;
  std::optional<std::int64_t> held_until_;  ///< Until when reports wait for other events to commit with.
  std::vector<std::pair<Answer, CommandOutcome>> answers_;  ///< Of requests whose events are not durable yet.
  std::vector<std::string> to_adopt_;                       ///< Studies whose live runs an earlier kernel started.
  std::set<std::string> packaging_;
  std::set<std::pair<std::string, int>> looked_up_;  ///< Runs whose key was looked up among earlier runs.
  /// Launch → its devices, if it has ended and they may not be free, or if an earlier kernel started it; empty if they
  /// were free before its end was recorded.
  std::map<std::string, std::vector<std::string>> freeing_;
  std::set<std::pair<std::string, int>> killed_;      ///< Runs that the executor was told to cancel.
  std::set<std::pair<std::string, int>> told_short_;  ///< Runs that the observer was told to lack memory.
  struct Lengths {
    int short_in_row = 0;                              ///< Runs before this event that were short and succeeded.
    std::map<std::pair<int, std::string>, bool> last;  ///< Cell and stage → whether its newest run was such a one.
  };
  std::map<std::string, Lengths> lengths_;  ///< Of a study's runs.
  std::map<std::string, int> in_turn_;      ///< Study with runs that may wait for their turn → its -j then.
  std::map<std::pair<std::string, int>, int> most_beside_;  ///< Live run → the most other runs live at the same time.
};

}  // namespace kernel
