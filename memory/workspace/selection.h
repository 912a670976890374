#pragma once
// Selects what of a workspace belongs to a snapshot. Left out: .git, .ara_env (keys of a harness, in artifacts), what
// .gitignore, .etudeignore and the study exclude, folders that are artifacts, the store. Follows one walk, folder by
// folder.

#include <string>
#include <vector>

#include "memory/workspace/ignore.h"

namespace memory {

class Selection {
 public:
  /// Selects everything; for data.
  Selection() = default;
  /// `root`: the workspace; inside a git repository, the .gitignore files above it count too. `exclude`: .gitignore
  /// patterns seen from the root, which take precedence. `home`: the store's folder.
  Selection(const std::string& root, const std::vector<std::string>& exclude, const std::string& home);

  /// To be called before a folder's entries; "" is the root. If it returns false, skip the folder and do not call
  /// `leave`.
  bool enter(const std::string& path);
  void leave();
  bool wants(const std::string& path, bool is_folder) const;

 private:
  void read_rules(const std::string& folder, const std::string& name, const std::string& seen_from_top);

  bool all_ = true;
  std::string root_, home_;
  std::string above_;  ///< The root seen from the repository's root, with a slash at its end; "" if they are the same.
  IgnoreRules exclude_, rules_;
  std::vector<std::size_t> marks_;
};

}  // namespace memory
