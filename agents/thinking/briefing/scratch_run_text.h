#pragma once
// What a model sees of a run that it ordered. Pure.

#include <functional>
#include <string>

#include "kernel/study/state.h"

namespace agents {

/// Outcome, metrics, and the ends of stdout and stderr. No times, which differ in a replay. `fetch` returns a blob's
/// bytes.
std::string scratch_text(const kernel::Run&, const std::function<std::string(const std::string& sha256)>& fetch);

}  // namespace agents
