#pragma once
// Says which evidence rests on code that an agent changed or wrote: what it changed, why, what the comparison with the
// original found, and who reviewed it. Pure.

#include <nlohmann/json_fwd.hpp>

#include "kernel/study/state.h"

namespace kernel {

/// The sentences that stand first wherever the study's results are shown; empty if people wrote all the code, and for
/// studies of earlier programs.
Reason agents_code(const Study&);

/// The same as an object; null if `agents_code` is empty.
nlohmann::json agents_code_shape(const Study&);

}  // namespace kernel
