#pragma once
// An artifact described as an RO-Crate: RO-Crate 1.1 with the profile Process Run Crate 0.5, and PROV terms for what a
// claim rests on. Runs come from etude.json, so an artifact of another program has files and claims but no runs. Pure.

#include <string>

#include <nlohmann/json.hpp>

#include "artifacts/export/export_files.h"
#include "artifacts/read/model.h"

namespace artifacts {

inline constexpr const char* crate_file = "ro-crate-metadata.json";
inline constexpr const char* crate_preview = "ro-crate-preview.html";

/// The bytes of ro-crate-metadata.json. `seal`: the content of etude.json; null if it cannot be read. `published`: a
/// date, YYYY-MM-DD.
std::string crate_metadata(const Artifact&, const nlohmann::json& seal, const ExportFiles&,
                           const std::string& published);

}  // namespace artifacts
