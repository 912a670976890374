#pragma once
// Whether a study's artifact still lies where it was written: a later study may have replaced it, and a person may have
// moved it.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "memory/store/reader.h"

namespace session {

/// What became of the artifact of a study (its `study` document), and the command that writes it again; none if it is
/// in its place, or not written yet.
std::optional<std::string> artifact_gone(const memory::Reader&, const nlohmann::json& study);

/// The study whose artifact a new one in this folder replaces, in words: "study s3"; empty if there is none.
std::string replaced_study(const memory::Reader&, const std::string& folder);

}  // namespace session
