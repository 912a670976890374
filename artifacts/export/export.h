#pragma once
// An artifact for others: its files as a folder or as a reproducible zip, described as an RO-Crate with the profiles
// Process and Workflow Run Crate and PROV terms, or as one self-contained page. Text of others never becomes markup.
// Reads only below the root; faults throw.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

struct ExportFiles {
  std::vector<Entry> entries;                  ///< By path: files, folders and links that stay inside.
  std::vector<std::string> left_out;           ///< Paths.
  std::map<std::string, std::string> added{};  ///< Path → bytes of files that the export adds or replaces.
};

/// Leaves out, and lists, secrets, paths that lead out of the artifact, and special files. A problem if there are too
/// many files.
kernel::Result<ExportFiles> files_to_export(const SafeRoot&);

struct Exported {
  long long files = 0, bytes = 0;
};

/// Creates the folder. Throws std::system_error if it exists.
Exported export_folder(const SafeRoot&, const ExportFiles&, const std::string& folder);

/// Writes to an open file; everything is below `prefix`/. The same input gives the same bytes: sorted, without times
/// and owners.
Exported export_zip(const SafeRoot&, const ExportFiles&, const std::string& prefix, int fd);

inline constexpr const char* crate_file = "ro-crate-metadata.json";
inline constexpr const char* crate_preview = "ro-crate-preview.html";

/// The version of Process and Workflow Run Crate: 0.6 belongs to RO-Crate 1.3, 0.5 to RO-Crate 1.1.
enum class RunProfile { v0_5, v0_6 };

/// The bytes of ro-crate-metadata.json. `seal`: the content of etude.json, from which the runs are; null if it cannot
/// be read. `published`: a date, YYYY-MM-DD.
std::string crate_metadata(const Artifact&, const nlohmann::json& seal, const ExportFiles&,
                           const std::string& published, RunProfile);

/// The graph in the form of the API: {"nodes": [{"id", "type", "title", "parents"}]}.
nlohmann::json graph_of(const Tree&);

/// The report, or the paper if there is none; claims, experiments, exploration graph and figures. `graph_svg`: a
/// drawing of the exploration graph; if empty, the graph is listed.
std::string export_page(const SafeRoot&, const Artifact&, const std::string& graph_svg);

}  // namespace artifacts
