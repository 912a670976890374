#pragma once
// Decides which waiting runs get which part of the machine: a pure function of the state, so all leases are in the
// events. A lease ends with its run. A device is free again only when its memory is, however long that takes.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

struct AvailableGpu {
  std::string id;
  std::int64_t memory_bytes = 0;  ///< 0 if unknown.
  bool divisible = true;          ///< Runs may have shares of it.
  std::string model{};            ///< As the driver names it; empty if unknown.
  bool by_scheduler = false;      ///< A scheduler gives the run a device of the type that it asks for.
};

/// The resources to lease; 0 means unknown and without limit.
struct Machine {
  int cpus = 0;
  std::int64_t memory_bytes = 0;
  std::vector<AvailableGpu> gpus;
  /// Devices without a lease: they still hold a dead run's memory, or a job of a study that this kernel does not work
  /// on.
  std::set<std::string> unclean;
  bool has_nodes = false;       ///< Runs may name the node that they run on.
  bool starts_in_turn = false;  ///< The executor can queue jobs (Executor::start_in_turn).
};

/// A run that waits for all of the machine's memory, or for a whole device, because it is expected to take more.
struct MemoryShortage {
  std::string study;
  int run = 0;
  bool on_device = false;
  std::int64_t forecast_bytes = 0;
  std::int64_t free_bytes = 0;  ///< Of the machine; of the free device that has most.
  std::int64_t all_bytes = 0;   ///< The same with nothing leased.
};

struct Grant {
  std::string study;
  int run = 0;
  Lease lease;
};

/// How long a study's next run may wait before the resources that it lacks are kept free for it.
inline constexpr std::int64_t ageing_ms = 30'000;

/// Grants in the order of their start. Studies take turns (`goes_before`): by priority, then those that have waited
/// longer than `ageing_ms`, then the study that holds least of the machine. Within a study, the queue decides. A study
/// never has more runs at once than its `-j`, which may exceed the machine's CPUs, because a person chose it.
/// `shortages`, if it is not null, gets the runs that no grant was made for because of such a forecast.
std::vector<Grant> admit(const State&, const Machine&, Time now, std::vector<MemoryShortage>* shortages = nullptr);

/// Whether runs of this study may be recorded ahead, to start in turn when its live runs end, so that no slot waits for
/// the next start to be recorded: it runs, nobody has to decide, its `-j` is at least 2, and no other study has runs.
bool may_go_ahead(const State&, const Machine&, const Study&);

/// Grants of such runs, up to the first that is not `quick`: short enough for that wait to count. None while a slot is
/// free, and none for runs that need devices, or more of the machine than each live run has.
std::vector<Grant> admit_ahead(const State&, const Machine&, const std::function<bool(const Study&, const Run&)>& quick,
                               Time now);

/// The most CPUs that any run of the study needs.
int most_cpus(const StudySpec&);

/// Why this machine can never run the study; empty if it can.
std::string never_fits(const StudySpec&, const Machine&);

/// Studies whose next run could start if no device were unclean, while nothing of them runs.
std::vector<std::string> studies_without_devices(const State&, const Machine&, Time now);

/// When the next timed wait ends (a retry, a search over code or a gate), on the boot clock; none if there is none.
std::optional<std::int64_t> next_retry_ms(const State&, Time now);

}  // namespace kernel
