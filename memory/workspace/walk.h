#pragma once
// Lists a folder: files, links and empty folders, sorted by path. Reads no content, follows no link, never leaves the
// folder.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/manifest.h"
#include "base/result.h"
#include "memory/workspace/selection.h"

namespace memory {

struct WalkEntry {
  kernel::EntryType type = kernel::EntryType::file;
  std::string path;
  std::int64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::string target;  ///< Of links: relative, even if the original was absolute.
};

struct Walk {
  std::vector<WalkEntry> entries;
  std::vector<std::string> warnings;  ///< About special files and dangling links, which are left out.
};

/// `what` names the folder in problems ("workspace", "data.corpus"), `remedy` says how to leave something out. A
/// problem: unreadable, a link that leads out, a name that is not UTF-8, more than `most` entries.
kernel::Result<Walk> walk(const std::string& root, Selection&, const std::string& what, const std::string& remedy,
                          std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace memory
