#pragma once
// The addresses of a hypothesis's result that have a value now, with that value. For tools that show agents results
// which they may cite. Withheld values are left out. Pure; any thread.

#include <string>
#include <utility>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// ("H1.effect", "−10.1 points"), in a fixed order: the result, then mean, spread and count of each arm.
std::vector<std::pair<std::string, std::string>> addresses_of(const Study&, const HypothesisRecord&);

}  // namespace kernel
