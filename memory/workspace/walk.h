#pragma once
// Lists a folder, or what of a workspace belongs to a snapshot: files, links and empty folders, sorted by path. Reads
// no content except that of ignore files, follows no link, never leaves the folder.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/manifest.h"
#include "base/result.h"
#include "kernel/domain/frozen_inputs.h"
#include "memory/workspace/ignore.h"

namespace memory {

/// Selects what of a workspace belongs to a snapshot. Left out: .git, .ara_env (keys of a harness, in artifacts), what
/// .gitignore, .etudeignore and the study exclude, folders that are artifacts, the store. Follows one walk, folder by
/// folder.
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
  /// Whether an ignore file is why it is not wanted.
  bool ignores(const std::string& path, bool is_folder) const;

 private:
  void read_rules(const std::string& folder, const std::string& name, const std::string& seen_from_top);

  bool all_ = true;
  std::string root_, home_;
  std::string above_;  ///< The root seen from the repository's root, with a slash at its end; "" if they are the same.
  IgnoreRules exclude_, rules_;
  std::vector<std::size_t> marks_;
};

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
  std::vector<kernel::IgnoredEntry> ignored;
};

/// `what` names the folder in problems ("workspace", "data.corpus"), `remedy` says how to leave something out. A
/// problem: unreadable, a link that leads out, a name that is not UTF-8, more than `most` entries.
kernel::Result<Walk> walk(const std::string& root, Selection&, const std::string& what, const std::string& remedy,
                          std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace memory
