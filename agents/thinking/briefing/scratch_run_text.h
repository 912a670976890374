#pragma once
// What a model is shown of a run that it ordered. Pure.

#include <functional>
#include <string>

#include "kernel/study/state.h"

namespace agents {

/// How it ended, what it measured, and the ends of what it printed. No times: a replay has others. `fetch`: a blob's
/// bytes.
std::string scratch_text(const kernel::Run&, const std::function<std::string(const std::string& sha256)>& fetch);

}  // namespace agents
