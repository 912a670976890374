#pragma once
// What of a workspace belongs to a snapshot: not .git, never .ara_env (keys of a harness, in artifacts), not what
// .gitignore, .etudeignore and the study's own patterns leave out, no folder that is an artifact, not the store.
// Follows one walk, folder by folder.

#include <string>
#include <vector>

#include "memory/workspace/ignore.h"

namespace memory {

class Selection {
 public:
  /// Everything: for data, which is taken as it is.
  Selection() = default;
  /// `root`: the workspace; where it lies inside a git repository, the .gitignore files above it count too. `exclude`:
  /// .gitignore patterns seen from the root, which have the last word. `home`: the store's folder.
  Selection(const std::string& root, const std::vector<std::string>& exclude, const std::string& home);

  /// Before a folder's entries are asked for; "" is the root. False: leave the folder out, and do not call `leave`.
  bool enter(const std::string& path);
  void leave();
  bool wants(const std::string& path, bool is_folder) const;

 private:
  void read_rules(const std::string& folder, const std::string& name, const std::string& seen_from_top);

  bool all_ = true;
  std::string root_, home_;
  std::string
      above_;  ///< The root seen from the repository's top, with a slash at its end; "" where they are the same.
  IgnoreRules exclude_, rules_;
  std::vector<std::size_t> marks_;
};

}  // namespace memory
