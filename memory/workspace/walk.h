#pragma once
// Lists a folder: files, links and folders that hold nothing else, sorted by path. Reads no file's content, follows no
// link, leaves the folder nowhere.

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
  std::string target;  ///< Links: relative, whatever was written in the original.
};

struct Walk {
  std::vector<WalkEntry> entries;
  std::vector<std::string> warnings;  ///< Special files and links to nowhere, which are left out.
};

/// `what` names the folder in problems ("workspace", "data.corpus"), `remedy` says how something can be left out. A
/// problem: what cannot be read, a link that leads out, a name that is no UTF-8, more than `most` entries.
kernel::Result<Walk> walk(const std::string& root, Selection&, const std::string& what, const std::string& remedy,
                          std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace memory
