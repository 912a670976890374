#pragma once
// New ids and paths for what another artifact brings and ours has already, and how they are put into its texts. Ids in
// verbatim quotes (« ») and in names of files stay, as do ids of one digit in prose, which may mean anything ("C4").
// Pure.

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace artifacts {

struct Relocation {
  std::map<std::string, std::string> entries;  ///< Ids of claims, experiments, …
  std::map<std::string, std::string> nodes;
  std::map<std::string, std::string> paths;  ///< Of files, from the artifact's root.

  bool empty() const { return entries.empty() && nodes.empty() && paths.empty(); }
};

/// `file`: where the text stands, from the artifact's root. `known`: lines that stay, because they are not new.
std::string relocated(std::string_view text, const std::string& file, const Relocation& relocation,
                      const std::set<std::string, std::less<>>& known);

/// The first id with this prefix and width that is not taken; it is taken from now on.
std::string free_id(const std::string& id, std::set<std::string>& taken);

}  // namespace artifacts
