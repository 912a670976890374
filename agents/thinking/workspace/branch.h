#pragma once
// A workspace as agents see it: the frozen files, and an agent's changes over them, in memory, so no path leads
// elsewhere. Protected files do not change, and files that the environment is set up from only grow.

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

class Branch {
 public:
  Branch() = default;
  /// `frozen`: paths that must not change. `growing`: paths to which lines may only be added.
  Branch(Files base, std::set<std::string> frozen, std::set<std::string> growing = {})
      : base_(std::move(base)), frozen_(std::move(frozen)), growing_(std::move(growing)) {}

  /// All files of the branch, by path.
  std::vector<Files::Entry> entries() const;
  std::optional<std::string> read(const std::string& path) const;
  /// The frozen content, without later writes.
  std::optional<std::string> read_base(const std::string& path) const;
  /// Returns why it was not written; empty if it was.
  std::string write(const std::string& path, std::string content);
  /// Adds a line at the end of a growing file; returns the same.
  std::string add_line(const std::string& path, const std::string& line);
  /// Returns why it was not removed; empty if it was.
  std::string remove(const std::string& path);

  /// The differences from the base.
  Changes changes() const;

 private:
  bool is_base(const std::string& path) const;

  Files base_;
  std::set<std::string> frozen_, growing_;
  std::map<std::string, std::string> written_;
  std::set<std::string> removed_;  ///< Paths of the base that were removed and not written since.
};

}  // namespace agents
