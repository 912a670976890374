#pragma once
// Makes the files of an export an RO-Crate: adds its description and its preview. Reads only below the root.

#include <string>

#include "artifacts/export/export.h"

namespace artifacts {

/// The day on which the study ended, else the paper's year, else today: YYYY-MM-DD, or the year. `seal`: the content of
/// etude.json; null if it cannot be read.
std::string published_on(const nlohmann::json& seal, const std::string& year);

/// `page`: the preview, as `export_page` makes it.
void add_crate(ExportFiles&, const SafeRoot&, const Artifact&, RunProfile, std::string page);

}  // namespace artifacts
