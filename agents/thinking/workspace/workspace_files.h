#pragma once
// A workspace as agents see it: the frozen files, and an agent's changes to them.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace agents {

/// The frozen workspace: paths and bytes, without a file system.
struct Files {
  struct Entry {
    std::string path;
    std::int64_t bytes = 0;
  };
  std::vector<Entry> entries;                                                 ///< By path.
  std::function<std::optional<std::string>(const std::string& path)> read{};  ///< Reads an entry.
  std::vector<std::string> links{};  ///< Paths of links, which are neither read nor written.
};

/// The differences of a branch from its base.
struct Changes {
  std::map<std::string, std::string> written;
  std::set<std::string> removed;

  bool empty() const { return written.empty() && removed.empty(); }
  bool operator==(const Changes&) const = default;
};

}  // namespace agents
