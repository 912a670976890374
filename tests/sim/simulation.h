#pragma once
// One simulated home from one seed: kernels that live and die over one store, one machine, one provider of models and
// the people who use them. Every simulation ends with all its studies at their end, or with a promise that was broken.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel/loop/loop.h"
#include "tests/sim/conversations.h"
#include "tests/sim/core.h"
#include "tests/sim/machine.h"
#include "tests/sim/plan.h"
#include "tests/sim/storage.h"
#include "tests/sim/witness.h"

namespace sim {

struct Options {
  bool trace = false;
  int most_steps = 60'000;
  /// Where the events are kept; none: in memory, and for one seed of five in the real store above a failing disk.
  std::function<std::unique_ptr<Storage>(Core&)> storage = {};
};

/// What a simulation came to.
struct Report {
  int studies = 0, kernels = 0, steps = 0;
  std::int64_t events = 0;
  std::uint64_t digest = 0;  ///< Equal for equal histories.
};

/// Throws Violation if a promise was broken.
Report simulate(std::uint64_t seed, const Options& = {});

class Simulation;

/// One process of the kernel.
class Life : public kernel::EventStore, public kernel::Observer {
 public:
  Life(Simulation&, int points);

  /// Until everything is over, or the kernel was told to leave. Throws Died.
  void live();
  void post(kernel::LoopMessage);
  /// As session::Session::tell: for a study of the store, whichever kernel worked on it before.
  void tell(const std::string& study, kernel::CommandBody, const std::string& actor = kernel::person_actor);
  /// What the loop has of it; null if it does not work on it.
  const kernel::Study* study(const std::string& id) const;
  bool works(const std::string& id) const { return conversations_->works(id); }

  void append(const std::vector<kernel::Event>&, const kernel::State& after) override;
  void replay(const std::string&, const std::function<void(const kernel::Event&)>&) override;
  void committed(const kernel::Event&, const kernel::State&) override;
  void refused(const kernel::Command&, const std::string& reason) override;

 private:
  kernel::LoopParts parts();
  void maybe_die(const char* where);
  void package(const kernel::Study&);
  bool rests(const kernel::State&);
  bool wake(const kernel::State&);

  Simulation& simulation_;
  int points_;  ///< Steps that are left; 0 for any number.
  kernel::Inbox inbox_;
  int posted_ = 0, asked_roles_ = 0;  ///< Since the loop last took messages; since the last commit.
  bool said_leave_ = false;
  std::optional<std::int64_t> reported_at_ms_;  ///< When the oldest report came that is not stored.
  const std::shared_ptr<bool> alive_;
  std::unique_ptr<Conversations> conversations_;
  std::unique_ptr<kernel::Executor> executor_;
  std::unique_ptr<kernel::Loop> loop_;

 public:
  ~Life() override { *alive_ = false; }
};

class Simulation {
 public:
  Simulation(std::uint64_t seed, const Options&);
  Report run();

  Core core;
  Plan plan;
  std::unique_ptr<Storage> storage;
  Provider provider;
  Machine machine;
  Witness witness;
  std::unique_ptr<Life> life;
  int studies = 0, tokens = 0, draws = 0, kernels = 0, words = 0;
  int to_open = 0;  ///< Studies that are not open yet.
  int forks_left = 2, full_left = 4;
  bool has_reserve = true;  ///< The store has room that it can give up.

  /// Keeps code that differs from other code by its text, and returns it frozen.
  kernel::WorkspaceHash frozen(const std::string& text);
  /// Keeps a blob.
  kernel::BlobRef kept(std::string_view bytes);

  bool over() const;
  /// A person does what the studies wait for. Demands that they wait for something.
  void help();

 private:
  void open_study(std::size_t planned);
  void act();
  void act_on(const std::string& study, int what);
  void work_by_hand(const std::string& study, int what);
  void fork(const std::string& study);
  void amend(const std::string& study, bool by_agent);
  void help_paused(const kernel::Study&);
  void decide_gates(const kernel::Study&);
  void record_offline(const std::string& study, kernel::CommandBody);
  void between_kernels(bool power);
  void forget_what_was_lost();
  Report report() const;

  std::map<std::string, int> helped_;
};

}  // namespace sim
