#pragma once
// Writes a timeline in the Trace Event Format (JSON), which Perfetto and chrome://tracing read. Each part is written as
// it comes. One thread.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "kernel/timeline/timeline.h"

namespace kernel {

/// What a file holds.
struct TraceCounts {
  std::int64_t slices = 0, counters = 0, flows = 0, lanes = 0;
};

class ChromeTrace {
 public:
  /// `facts`: about the whole file, such as the study's id. `write` gets pieces of the file in order.
  ChromeTrace(std::function<void(std::string_view)> write, const nlohmann::json& facts);
  void add(const TimelineItem&);
  /// Writes the end of the document. To be called once.
  void finish();
  const TraceCounts& counts() const { return counts_; }

 private:
  void put(const nlohmann::json& event);
  void name_group(LaneGroup);

  const std::function<void(std::string_view)> write_;
  bool first_ = true;
  std::set<LaneGroup> named_;
  TraceCounts counts_;
};

}  // namespace kernel
