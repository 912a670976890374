#pragma once
// Whose artifact a folder has: a later study may have replaced the one that was written there.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "memory/store/reader.h"

namespace session {

/// Whose artifact lies now where that of the study (its `study` document) was written, and the command that writes it
/// again; none if nothing has replaced it, or it was not written yet.
std::optional<std::string> artifact_replaced(const memory::Reader&, const nlohmann::json& study);

/// The study whose artifact a new one in this folder replaces, in words: "study s3"; empty if there is none.
std::string replaced_study(const memory::Reader&, const std::string& folder);

/// The study of this home whose artifact the folder has; none if it has that of another one, or no artifact.
std::optional<std::string> study_of_artifact(const memory::Reader&, const std::string& folder);

}  // namespace session
