#pragma once
// The event log that an artifact of ours carries: followed along its chain and folded into the study that it tells of.
// Believes nothing of etude.json. Pure but for reading beneath the root.

#include <cstdint>
#include <functional>
#include <string>

#include "artifacts/read/safe_root.h"
#include "base/result.h"
#include "kernel/study/state.h"

namespace artifacts {

inline constexpr const char* log_file = "trace/events.jsonl";

struct RecordedLog {
  kernel::Study study;
  std::string head;  ///< The hash that the chain ends with.
  long long events = 0;
  int version = 1;  ///< Of its newest kind of event.
};

/// Sees each event before it is folded. `before`: the study as it was then; null before the first event.
using LogObserver = std::function<void(const kernel::Study* before, const kernel::Event&, int line)>;

/// Told, piece by piece, how many of so many bytes have been hashed; on the calling thread.
using HashObserver = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// The problem names the line where the chain is broken, or says what else is wrong: no such file, larger than 1 GB,
/// events that no study could have had, a registration that does not have its hash.
kernel::Result<RecordedLog> read_log(const SafeRoot&, const LogObserver& = {});
/// The same of a log's bytes, wherever they lie.
kernel::Result<RecordedLog> read_log_text(std::string_view bytes, const LogObserver& = {});

inline constexpr std::uint64_t largest_log = 1u << 30;

}  // namespace artifacts
