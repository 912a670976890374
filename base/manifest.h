#pragma once
// A folder's content as text: one JSON line per file, sorted by path, whose SHA-256 identifies the folder. Knows
// nothing of disks; what reads a manifest trusts no path in it.

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
  std::string sha256;  ///< Files.
  std::int64_t bytes = 0;
  std::string target;  ///< Links: relative.
};

/// Canonical bytes: a first line that names the format, then the entries by path.
std::string manifest_text(std::vector<ManifestEntry>);
/// The problem names the line.
kernel::Result<std::vector<ManifestEntry>> read_manifest(std::string_view text);

/// A path that stays below the folder it is joined to, and can be written as text.
bool is_safe_path(std::string_view path);

}  // namespace kernel
