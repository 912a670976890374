#pragma once
// The tables of an artifact's evidence as a data set in Croissant 1.0 (http://mlcommons.org/croissant/1.0): each CSV
// file with its SHA-256, its columns as fields and their data types, found by reading every value. Reads only below the
// root.

#include <string>

#include "artifacts/export/export.h"
#include "artifacts/export/sealed_record.h"

namespace artifacts {

inline constexpr const char* croissant_file = "croissant.json";

/// Picks of `files` the tables, and adds croissant.json next to them. `published`: a date, YYYY-MM-DD. A problem if
/// there is no table, or if one is not what etude.json names.
kernel::Result<ExportFiles> croissant_dataset(const SafeRoot&, const Artifact&, const SealedRecord&,
                                              const ExportFiles& files, const std::string& published);

}  // namespace artifacts
