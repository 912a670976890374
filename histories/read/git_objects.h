#pragma once
// Reads commits and files of somebody's git repository. Only git's plumbing that reads objects runs: no hook, filter or
// other program that the repository's configuration names, and no network. Blocks; any thread.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace histories {

struct TreeFile {
  std::string bytes;  ///< Of a link its target.
  bool executable = false, link = false;
};
/// Path below the tree → file. Submodules are left out.
using Tree = std::map<std::string, TreeFile>;

/// Whether it is the hash of a commit, or 4 or more digits that one may begin with.
bool is_commit_id(const std::string&);

class GitRepository {
 public:
  /// A problem if git is not there, or the folder is in no repository.
  static kernel::Result<GitRepository> open(const std::string& folder);

  struct Commit {
    std::string id;    ///< Whole; empty if the repository has no such commit, or several begin so.
    std::string tree;  ///< Hash of its files.
  };
  /// `name`: a commit's id; of other names there is none.
  kernel::Result<Commit> commit(const std::string& name) const;
  /// The files of a tree below the folder that was opened. A problem if git cannot read them, or they have more than
  /// 256 MB together.
  kernel::Result<Tree> files(const std::string& tree) const;

 private:
  GitRepository(std::string git, std::string folder) : git_(std::move(git)), folder_(std::move(folder)) {}

  kernel::Result<std::string> ask(const std::vector<std::string>& words, std::string in = {}) const;

  std::string git_, folder_, below_;
};

}  // namespace histories
