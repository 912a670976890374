#pragma once
// The content of a folder as text: one JSON line per file, sorted by path. The text's SHA-256 identifies the folder.
// Knows nothing of disks; readers trust no path in it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kernel {

enum class EntryType { file, executable, link, folder };

struct ManifestEntry {
  EntryType type = EntryType::file;
  std::string path;    ///< Below the folder, with `/`; never absolute, empty, `.` or `..` anywhere.
  std::string sha256;  ///< Of files only.
  std::int64_t bytes = 0;
  std::string target;  ///< Of links only; relative.
};

/// Canonical bytes: a first line that names the format, then the entries sorted by path.
std::string manifest_text(std::vector<ManifestEntry>);
/// The problem names the line.
kernel::Result<std::vector<ManifestEntry>> read_manifest(std::string_view text);

/// Whether the path stays below the folder that it is joined to and can be written as text.
bool is_safe_path(std::string_view path);

}  // namespace kernel
