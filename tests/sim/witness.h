#pragma once
// Reads every event that a simulated home has stored and demands what the program promises of it. It keeps books of its
// own, from the stored bytes alone, and compares them with what the machine and the provider know happened.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/codec/codec.h"
#include "kernel/study/state.h"
#include "tests/sim/conversations.h"
#include "tests/sim/machine.h"
#include "tests/sim/storage.h"

namespace sim {

/// A study as snapshots store it: equal bytes, equal states.
std::string bytes_of(const kernel::Study&);

/// What the witness notes of one study, apart from its state.
struct Books {
  std::string head;
  std::int64_t opened_at_ms = 0;        ///< On the clock that never jumps.
  std::map<std::string, int> tokens;    ///< Launch token → run.
  std::map<int, std::string> launched;  ///< Live run → its token.
  std::map<int, int> started_by;        ///< Live run → the kernel that leased what it needs.
  int runs_ended = 0;                   ///< Runs that ended after a launch.
  std::map<int, std::int64_t> calls;    ///< Open call → reserved tokens.
  std::int64_t tokens_spent = 0;
  std::map<std::string, kernel::Verdict> verdicts;  ///< Hypothesis → what was said of it first.
  std::map<int, std::size_t> approved;  ///< Gate of the study file → its approval, by position in the chain.
  std::set<std::string> analysed;
  std::size_t events = 0, newest_code_by_agent = 0, newest_batch_by_agent = 0;
  double wall_s = 0;
  bool over = false;         ///< It has ended.
  std::int64_t seq = 0;      ///< Of the newest event.
  std::string persons_code;  ///< The newest code that a person wrote.
  bool set_up = false;       ///< The environment is, as it is declared now.
  /// Uses of the test data by the study and by those of its past, and how many by the place of their events.
  std::map<std::int64_t, int> looks;
  std::set<std::string> code;                 ///< Hashes of the person's code and of all versions.
  std::map<int, std::uint64_t> search_seeds;  ///< Replicate → the seed of all versions.
  std::map<kernel::HypothesisId, std::int64_t>
      slots;  ///< Hypothesis of the family → the event that registered it first.
  std::map<kernel::HypothesisId, std::int64_t> judged;  ///< Hypothesis → the event that gave it its result.
  std::map<std::int64_t, int> slots_elsewhere;          ///< StudyForked::slots, by the place of the event.
  std::int64_t forked_at = 0;                           ///< The event of its fork; 0 if it is none.
  std::set<std::string> ordered_by_hand;                ///< Words of the orders.
  int copied = 0;  ///< Forks that are to come: its events up to the last one are those of other studies.
};

class Witness {
 public:
  Witness(Core&, const Machine&, const Provider&);

  /// The newest events, as they are stored. `after`: what the kernel thinks of the studies now.
  void stored(const std::vector<kernel::StoredEvent>&, const kernel::State& after);
  /// A person asks for this fork: it knows what is stored by now.
  void fork_is_asked(const std::string& fork) { forks_asked_[fork] = newest_; }
  /// The storage may hold other events than it was given: begins anew.
  void begin_anew(Storage&);
  /// Replays every chain and compares.
  void replay(Storage&) const;
  /// Demands that a new kernel reads what was stored.
  void compare(const kernel::State& read, const char* where) const;
  /// Whether the log holds that intent, and nothing that ended it.
  void demand_intent(const kernel::JobSpec&, const char* how) const;
  void demand_call(const std::string& study, int call) const;
  /// What holds once nothing happens any more.
  void at_the_end() const;

  const kernel::State& state() const { return state_; }
  /// Number of the study's events, and the hash of the last one.
  std::size_t events_of(const std::string& study) const;
  std::string head_of(const std::string& study) const;
  std::int64_t events() const { return count_; }

 private:
  /// The new forks among these events: their events up to then are another study's.
  void mark_copies(const std::vector<kernel::StoredEvent>&);
  void take(const kernel::StoredEvent&, bool live);
  void before(const kernel::Study&, const kernel::Event&, Books&, bool live) const;
  void after(const kernel::Study&, const kernel::Event&, Books&, bool live) const;
  void launch_begins(const kernel::Study&, const kernel::RunStarting&, Books&, bool live) const;
  void run_ends(const kernel::Study&, const kernel::RunEnded&, Books&) const;
  void runs_are_queued(const kernel::Study&, const kernel::RunsQueued&) const;
  void budget_pauses(const kernel::Study&, const kernel::Event&, const Books&) const;
  void gates_hold(const kernel::Study&, const kernel::Event&, const Books&) const;
  void leases_fit() const;
  // promises.cc
  void environment_is_ready(const kernel::Study&, const kernel::JobSpec&) const;
  void evaluator_is_the_persons(const kernel::Study&, const kernel::Run&, const kernel::JobSpec&) const;
  void set_up_once(const kernel::Study&, const kernel::Event&, Books&) const;
  void test_data_are_counted(const kernel::Study&, const kernel::Event&, Books&) const;
  void confirmation_is_kept(const kernel::Study&, const kernel::RunsQueued&, const Books&) const;
  void code_is_searched(const kernel::Study&, const kernel::Event&, Books&) const;
  void by_hand_is_by_hand(const kernel::Study&, const kernel::Event&, Books&) const;
  void slots_are_counted(const kernel::Study&, const kernel::Event&, Books&) const;
  void earlier_results_are_known(const kernel::Study&, const kernel::Event&) const;
  void fork_shares_nothing(const kernel::Study&, const kernel::StudyForked&, const Books&) const;
  void ledger_is_right(const kernel::Study&, const Books&) const;

  Core& core_;
  const Machine& machine_;
  const Provider& provider_;
  kernel::State state_;
  std::map<std::string, Books> books_;
  std::map<std::string, std::int64_t> forks_asked_;  ///< Fork → the newest event at that time.
  std::int64_t count_ = 0, newest_ = 0;
};

}  // namespace sim
