#include "memory/workspace/selection.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace memory {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view secret_name = ".ara_env";

}  // namespace

Selection::Selection(const std::string& root, const std::vector<std::string>& exclude, const std::string& home)
    : all_(false), root_(root) {
  std::error_code error;
  home_ = fs::weakly_canonical(home, error).string();
  for (const std::string& pattern : exclude) exclude_.add(pattern, "");

  std::vector<fs::path> above;  // Folders from the repository's root to the workspace's parent.
  fs::path top;
  for (fs::path folder = root; !folder.empty(); folder = folder.parent_path()) {
    if (folder != root) above.insert(above.begin(), folder);
    if (fs::exists(folder / ".git", error)) top = folder;
    if (!top.empty() || folder == folder.root_path()) break;
  }
  if (top.empty() || top == fs::path(root)) return;
  above_ = fs::path(root).lexically_relative(top).string() + "/";
  for (const fs::path& folder : above) {
    const std::string seen = folder.lexically_relative(top).string();
    read_rules(folder.string(), ".gitignore", seen == "." ? "" : seen);
  }
}

void Selection::read_rules(const std::string& folder, const std::string& name, const std::string& seen_from_top) {
  std::error_code error;
  const fs::path path = fs::path(folder) / name;
  // Links are not followed, as in git: a link could lead anywhere.
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return;
  std::ifstream file(path, std::ios::binary);
  rules_.add(std::string(std::istreambuf_iterator<char>(file), {}), seen_from_top);
}

bool Selection::enter(const std::string& path) {
  marks_.push_back(rules_.size());
  if (all_) return true;
  const std::string folder = path.empty() ? root_ : root_ + "/" + path;
  std::error_code error;
  if (!path.empty() && (folder == home_ || fs::exists(folder + "/etude.json", error))) {
    marks_.pop_back();
    return false;
  }
  std::string seen = above_ + path;
  if (seen.ends_with('/')) seen.pop_back();
  read_rules(folder, ".gitignore", seen);
  read_rules(folder, ".etudeignore", seen);
  return true;
}

void Selection::leave() {
  rules_.shrink(marks_.back());
  marks_.pop_back();
}

bool Selection::wants(const std::string& path, bool is_folder) const {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name == secret_name) return false;
  if (all_) return true;
  if (name == ".git") return false;
  using Answer = IgnoreRules::Answer;
  if (const Answer said = exclude_.ask(path, is_folder); said != Answer::none) return said == Answer::kept;
  return rules_.ask(above_ + path, is_folder) != Answer::ignored;
}

}  // namespace memory
