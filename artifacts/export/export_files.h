#pragma once
// What of an artifact an export takes along, and the two ways to write it: as a folder, or as one zip archive whose
// bytes follow from the artifact alone. Whatever holds a secret, leads out of the artifact or is no file is left
// behind, and said. The only place of this folder that includes libarchive. Faults throw.

#include <map>
#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"

namespace artifacts {

struct ExportFiles {
  std::vector<Entry> entries;                  ///< By path: files, folders and links that stay inside.
  std::vector<std::string> left_out;           ///< Paths.
  std::map<std::string, std::string> added{};  ///< Path → bytes: what the export adds; each replaces what is there.
};

/// A Problem: there is more than we are ready to take.
kernel::Result<ExportFiles> files_to_export(const SafeRoot&);

struct Exported {
  long long files = 0, bytes = 0;
};

/// Into a folder that is there and empty.
Exported export_folder(const SafeRoot&, const ExportFiles&, const std::string& folder);

/// Into an open file; the archive holds everything below `prefix`/. Same input, same bytes: sorted, without times and
/// owners.
Exported export_zip(const SafeRoot&, const ExportFiles&, const std::string& prefix, int fd);

}  // namespace artifacts
