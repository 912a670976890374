#pragma once
// A person may look at a registered run before its experiment is analysed; the study records each look as a note.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "kernel/domain/records.h"
#include "memory/store/reader.h"

namespace session {

/// The note. `run`: its JSON, of a run in an experiment. `what`: "the log" or "the values".
kernel::Node look_at(const nlohmann::json& run, std::string_view what);

/// Whether the study has this note already.
bool is_recorded(const memory::Reader&, const std::string& study, const kernel::Node& look);

}  // namespace session
