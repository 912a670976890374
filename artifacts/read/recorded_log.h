#pragma once
// The event log in an artifact of etude: verified along its chain and folded into its study. Does not trust etude.json.
// Pure except for reading below the root.

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
  std::string head;  ///< The last hash of the chain.
  long long events = 0;
  int version = 1;  ///< Of its newest kind of event.
};

/// Gets each event before it is folded. `before`: the study before the event; null before the first one.
using LogObserver = std::function<void(const kernel::Study* before, const kernel::Event&, int line)>;

/// Gets the number of bytes hashed so far and in all, on the calling thread.
using HashObserver = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// The problem names the line where the chain is broken, or another reason: no such file, larger than 1 GB, impossible
/// events, a registration with a wrong hash.
kernel::Result<RecordedLog> read_log(const SafeRoot&, const LogObserver& = {});
/// Reads a log from its bytes.
kernel::Result<RecordedLog> read_log_text(std::string_view bytes, const LogObserver& = {});

inline constexpr std::uint64_t largest_log = 1u << 30;

}  // namespace artifacts
