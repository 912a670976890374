#pragma once
// An agent's own version of the workspace: what it wrote over the files as they were frozen. No file system behind it,
// so no path leads anywhere else; what is protected stays as it is, and what the environment is set up from only grows.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "agents/thinking/workspace/workspace_files.h"

namespace agents {

class Branch {
 public:
  Branch() = default;
  /// `frozen`: paths that stay as they are. `growing`: those to which lines may be added, nothing else.
  Branch(Files base, std::set<std::string> frozen, std::set<std::string> growing = {})
      : base_(std::move(base)), frozen_(std::move(frozen)), growing_(std::move(growing)) {}

  /// As they are in the branch, by path.
  std::vector<Files::Entry> entries() const;
  std::optional<std::string> read(const std::string& path) const;
  /// As it was frozen, whatever was written since.
  std::optional<std::string> read_base(const std::string& path) const;
  /// Why it is not written; empty: it is.
  std::string write(const std::string& path, std::string content);
  /// The same of a line at the end of a growing file.
  std::string add_line(const std::string& path, const std::string& line);
  /// Why it stays; empty: it is gone.
  std::string remove(const std::string& path);

  /// What differs from what was there.
  Changes changes() const;

 private:
  bool is_base(const std::string& path) const;

  Files base_;
  std::set<std::string> frozen_, growing_;
  std::map<std::string, std::string> written_;
  std::set<std::string> removed_;  ///< Of the base, and not written since.
};

}  // namespace agents
