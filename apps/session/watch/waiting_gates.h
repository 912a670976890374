#pragma once
// The gates that wait for a person, in all studies of a home.

#include <nlohmann/json_fwd.hpp>

#include "memory/store/reader.h"

namespace session {

/// Gates as in the `study` JSON with "study", the id of their study; those of the oldest study first.
nlohmann::json waiting_gates(const memory::Reader&);

}  // namespace session
