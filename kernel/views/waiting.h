#pragma once
// What lines of work wait for outside of their study, and go on by themselves. Pure.

#include <nlohmann/json_fwd.hpp>

#include "kernel/study/state.h"

namespace kernel {

/// [{"on":"provider"|"batch","line","why"}]; of a batch also "since" and "until". Empty if nothing is waited for.
nlohmann::json waiting_shape(const Study&);

/// That the call waits for its batch. Precondition: it has one.
Reason awaited_batch(const ModelCall&);

}  // namespace kernel
