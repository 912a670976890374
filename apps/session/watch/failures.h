#pragma once
// The failed runs of a study, grouped by cause.

#include <nlohmann/json_fwd.hpp>

#include "memory/store/reader.h"

namespace session {

/// `study`: the `study` JSON. One entry per cause, the most frequent first: {"fingerprint","runs","first","reason"}.
nlohmann::json failures_shape(const memory::Reader&, const nlohmann::json& study);

}  // namespace session
