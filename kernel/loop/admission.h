#pragma once
// Which waiting runs get which part of the machine: one pure function over the state, so that nothing is held that the
// events do not say. A lease ends with its run; a device is free again once its memory is, whatever the clock says.

#include <set>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

struct Gpu {
  std::string id;
  std::int64_t memory_bytes = 0;  ///< 0: not known.
};

/// What there is to lease; 0: not known, and not limited.
struct Machine {
  int cpus = 0;
  std::int64_t memory_bytes = 0;
  std::vector<Gpu> gpus;
  std::set<std::string> unclean;  ///< Devices that nobody leases and that still hold a dead run's memory.
};

struct Grant {
  std::string study;
  int run = 0;
  Lease lease;
};

/// How long a study's next run may wait before what it lacks is kept free for it.
inline constexpr std::int64_t ageing_ms = 30'000;

/// In the order in which they are to start. Studies take turns: the one that holds least of the machine first, those
/// that waited beyond `ageing_ms` before all others. Within a study the queue's order stands. A study never has more
/// runs at once than its `-j`, and `-j` may ask for more CPUs than there are: that is a person's word.
std::vector<Grant> admit(const State&, const Machine&, Time now);

/// Of any of its runs.
int most_cpus(const StudySpec&);

/// Why no machine like this one can ever run the study; empty: it can.
std::string never_fits(const StudySpec&, const Machine&);

/// When the first waiting retry may start, on the boot clock; 0: none waits for a time.
std::int64_t next_retry_ms(const State&, Time now);

}  // namespace kernel
