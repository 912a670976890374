#pragma once
// Selects the files of an artifact for export and writes them as a folder or as a reproducible zip. Leaves out, and
// lists, secrets, paths that lead out of the artifact, and special files. The only place of this folder that includes
// libarchive. Faults throw.

#include <map>
#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"

namespace artifacts {

struct ExportFiles {
  std::vector<Entry> entries;                  ///< By path: files, folders and links that stay inside.
  std::vector<std::string> left_out;           ///< Paths.
  std::map<std::string, std::string> added{};  ///< Path → bytes of files that the export adds or replaces.
};

/// A problem if there are too many files.
kernel::Result<ExportFiles> files_to_export(const SafeRoot&);

struct Exported {
  long long files = 0, bytes = 0;
};

/// Precondition: the folder exists and is empty.
Exported export_folder(const SafeRoot&, const ExportFiles&, const std::string& folder);

/// Writes to an open file; everything is below `prefix`/. The same input gives the same bytes: sorted, without times
/// and owners.
Exported export_zip(const SafeRoot&, const ExportFiles&, const std::string& prefix, int fd);

}  // namespace artifacts
