#pragma once
// A study's timeline as a file for Perfetto, from its events. It holds no value of a metric.

#include <functional>
#include <string>
#include <string_view>

#include "kernel/timeline/chrome_trace.h"
#include "memory/store/reader.h"

namespace session {

/// `write` gets pieces of the file in order (Trace Event Format, JSON). What has not ended ends with the last event.
/// Precondition: the study is in the home.
kernel::TraceCounts write_trace(const memory::Reader&, const std::string& study,
                                const std::function<void(std::string_view)>& write);

}  // namespace session
