#pragma once
// A workspace as agents see it: the files as they were frozen, and what an agent has changed of them.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace agents {

/// The workspace as it was frozen: paths and bytes, without a file system behind them.
struct Files {
  struct Entry {
    std::string path;
    std::int64_t bytes = 0;
  };
  std::vector<Entry> entries;                                                 ///< By path.
  std::function<std::optional<std::string>(const std::string& path)> read{};  ///< Of an entry.
  std::vector<std::string> links{};                                           ///< Paths that are neither.
};

/// What a branch has other than the files it is of.
struct Changes {
  std::map<std::string, std::string> written;
  std::set<std::string> removed;

  bool empty() const { return written.empty() && removed.empty(); }
  bool operator==(const Changes&) const = default;
};

}  // namespace agents
