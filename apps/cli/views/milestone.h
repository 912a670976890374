#pragma once
// The lines that a live view prints for an event. Pure; withholds the values of registered runs.

#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace cli {

/// True for a run of an experiment or a search, whose values are withheld until it has ended.
bool is_registered(const kernel::RunEnded&, const kernel::RunBoard&);

/// The lines to print, joined by newlines; none if the event is not shown. `study`: its state after the event.
std::optional<std::string> milestone(const kernel::EventBody&, const kernel::Study& study);

}  // namespace cli
