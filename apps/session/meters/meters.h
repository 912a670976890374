#pragma once
// What one kernel process counts for Prometheus: durations as histograms since its start, and the present amounts of
// the studies that it works on. The kernel's thread reports; any thread reads the text. It holds no metric of a run.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "apps/session/meters/exposition.h"
#include "kernel/loop/admission.h"
#include "kernel/loop/event_ports.h"
#include "kernel/loop/inbox.h"
#include "kernel/study/ledger.h"

namespace session {

class Meters;

/// A store whose commits are timed.
class TimedStore : public kernel::EventStore {
 public:
  TimedStore(kernel::EventStore& store, Meters& meters) : store_(store), meters_(meters) {}
  void append(const std::vector<kernel::Event>& events, const kernel::State& after) override;
  void replay(const std::string& study, const std::function<void(const kernel::Event&)>& each) override {
    store_.replay(study, each);
  }

 private:
  kernel::EventStore& store_;
  Meters& meters_;
};

class Meters {
 public:
  Meters();

  /// A durable event, and the state after it.
  void committed(const kernel::Event&, const kernel::Study& after);
  /// A commit to the store. `durable`: whether it waited for the disk.
  void stored(double seconds, std::size_t events, bool durable);
  /// Everything in the exposition format.
  std::string text(const kernel::Delays&, const kernel::Machine&) const;

 private:
  /// What is known of a study that this kernel works on.
  struct Known {
    kernel::StudyState state = kernel::StudyState::running;
    std::size_t going = 0, waiting = 0;
    std::int64_t calls = 0, agents_waiting = 0, gates = 0;
    kernel::Spending spending;
    kernel::Budget limits;
    std::vector<std::int64_t> queued_ms;  ///< By run number − 1, on the boot clock; 0 if it was not queued here.
    std::map<int, std::int64_t> starting_ms;
  };
  struct ModelMeters {
    std::map<bool, Histogram> seconds;  ///< By whether the call was answered.
    kernel::TokenCount tokens;
    double usd = 0;
  };
  struct Watcher;

  void add_studies(Exposition&) const;
  void add_runs(Exposition&) const;
  void add_models(Exposition&) const;
  void add_process(Exposition&, const kernel::Delays&, const kernel::Machine&) const;

  mutable std::mutex mutex_;  ///< Guards all members below.
  std::map<std::string, Known> studies_;
  std::map<kernel::RunState, Histogram> run_seconds_;
  std::map<kernel::RunState, std::int64_t> run_ends_;
  Histogram launch_seconds_, wait_seconds_;
  std::map<std::string, ModelMeters> models_;
  std::map<bool, Histogram> commit_seconds_;  ///< By `durable`.
  std::int64_t events_ = 0;
};

}  // namespace session
