#pragma once
// What a live view says of an event to a person at a terminal. Pure; withholds the values of registered runs.

#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace cli {

/// Of an experiment or a search: its values are withheld while it goes on.
bool is_registered(const kernel::RunEnded&, const kernel::Study&);

/// The lines to print, joined by newlines; none: the event is not news. `study`: after the event.
std::optional<std::string> milestone(const kernel::EventBody&, const kernel::Study& study);

}  // namespace cli
