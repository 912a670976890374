#pragma once
// An artifact described as an RO-Crate: RO-Crate 1.1 with the profile Process Run Crate 0.5, and PROV's words for what
// a claim rests on. What it says of runs is taken from etude.json, so that an artifact of others has files, claims and
// no runs. Pure.

#include <string>

#include <nlohmann/json.hpp>

#include "artifacts/export/export_files.h"
#include "artifacts/read/model.h"

namespace artifacts {

inline constexpr const char* crate_file = "ro-crate-metadata.json";
inline constexpr const char* crate_preview = "ro-crate-preview.html";

/// The bytes of ro-crate-metadata.json. `seal`: what etude.json holds; null: there is none that can be read.
/// `published`: a date, YYYY-MM-DD.
std::string crate_metadata(const Artifact&, const nlohmann::json& seal, const ExportFiles&,
                           const std::string& published);

}  // namespace artifacts
