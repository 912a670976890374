#include "histories/read/git_objects.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "programs/find_program.h"
#include "programs/run_program.h"

namespace histories {

namespace {

constexpr std::size_t most_tree_bytes = 256 << 20;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

struct TreeEntry {
  std::string path, blob;
  bool executable = false, link = false;
};

/// `MODE TYPE HASH\tPATH`, each closed by a zero byte.
std::vector<TreeEntry> entries_of(const std::string& listing) {
  std::vector<TreeEntry> entries;
  for (std::size_t at = 0; at < listing.size();) {
    const std::size_t end = std::min(listing.find('\0', at), listing.size());
    const std::string line = listing.substr(at, end - at);
    at = end + 1;
    const std::size_t tab = line.find('\t'), type = line.find(' '), hash = line.find(' ', type + 1);
    if (tab == line.npos || type == line.npos || hash == line.npos || hash > tab) continue;
    if (line.substr(type + 1, hash - type - 1) != "blob") continue;
    const std::string mode = line.substr(0, type);
    entries.push_back(
        {line.substr(tab + 1), line.substr(hash + 1, tab - hash - 1), mode == "100755", mode == "120000"});
  }
  return entries;
}

bool leaves(const std::string& path) {
  for (const auto& part : std::filesystem::path(path))
    if (part == ".." || part == "." || part == ".git") return true;
  return path.empty() || path.front() == '/';
}

/// Whether a link stands in the place of one of its folders.
bool below_link(const std::vector<TreeEntry>& entries, const std::string& path) {
  return std::ranges::any_of(entries,
                             [&](const TreeEntry& entry) { return entry.link && path.starts_with(entry.path + "/"); });
}

}  // namespace

bool is_commit_id(const std::string& name) {
  return name.size() >= 4 && name.size() <= 64 && name.find_first_not_of("0123456789abcdefABCDEF") == name.npos;
}

kernel::Result<GitRepository> GitRepository::open(const std::string& folder) {
  const std::string git = programs::find_on_path("git", programs::variable(programs::own_environment(), "PATH"));
  if (git.empty())
    return kernel::Problem{
        "", 0, "git", "it is not installed, and the history's versions are commits", "apt-get install git", true};
  GitRepository repository(git, folder);
  const auto below = repository.ask({"rev-parse", "--show-prefix"});
  if (!below)
    return kernel::Problem{folder, 0, "", "is in no git repository: the code of the history is gone",
                           "name the folder that has both results.tsv and the repository"};
  repository.below_ = first_line(*below);
  return repository;
}

kernel::Result<std::string> GitRepository::ask(const std::vector<std::string>& words, std::string in) const {
  std::vector<std::string> argv = {git_,    "-C",
                                   folder_, "--no-replace-objects",
                                   "-c",    "safe.directory=*",
                                   "-c",    "core.fsmonitor=false",
                                   "-c",    "protocol.allow=never"};
  argv.insert(argv.end(), words.begin(), words.end());
  programs::Program program{.argv = std::move(argv),
                            .environment = {{"PATH", programs::variable(programs::own_environment(), "PATH")},
                                            {"HOME", "/nonexistent"},
                                            {"LC_ALL", "C"},
                                            {"GIT_CONFIG_NOSYSTEM", "1"},
                                            {"GIT_CONFIG_GLOBAL", "/dev/null"},
                                            {"GIT_NO_LAZY_FETCH", "1"},
                                            {"GIT_TERMINAL_PROMPT", "0"},
                                            {"GIT_OPTIONAL_LOCKS", "0"}},
                            .limit = std::chrono::minutes(2),
                            .most_output = most_tree_bytes + (16 << 20),
                            .excess = programs::Excess::kill};
  if (!in.empty()) program.in = std::move(in);
  auto ran = programs::run_program(program);
  if (!ran || ran->exit != 0)
    return kernel::Problem{folder_, 0, "git " + words.front(),
                           ran && ran->exit ? first_line(ran->err) : programs::why_no_exit(ran), ""};
  return std::move(ran->out);
}

kernel::Result<GitRepository::Commit> GitRepository::commit(const std::string& name) const {
  if (!is_commit_id(name)) return Commit{};
  const auto id = ask({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!id) return Commit{};
  Commit commit{first_line(*id), ""};
  const auto tree = ask({"rev-parse", "--verify", "--quiet", "--end-of-options",
                         commit.id + (below_.empty() ? "^{tree}" : ":" + below_)});
  if (!tree)
    return kernel::Problem{folder_, 0, "commit " + name, "its files cannot be read",
                           "fetch the whole history: git fetch --unshallow"};
  commit.tree = first_line(*tree);
  return commit;
}

kernel::Result<Tree> GitRepository::files(const std::string& tree) const {
  const auto listing = ask({"ls-tree", "-r", "-z", "--full-tree", tree});
  if (!listing) return listing.problem();
  const std::vector<TreeEntry> entries = entries_of(*listing);
  std::string wanted;
  for (const TreeEntry& entry : entries) {
    // A tree that git itself did not make could lead out of the folder that it is written to.
    if (leaves(entry.path) || below_link(entries, entry.path))
      return kernel::Problem{folder_, 0, "tree " + tree, "a path in it leads out of its folder: " + entry.path,
                             "do not use this repository"};
    wanted += entry.blob + "\n";
  }
  Tree files;
  if (wanted.empty()) return files;
  const auto blobs = ask({"cat-file", "--batch"}, wanted);
  if (!blobs) return blobs.problem();
  // For each hash `HASH blob SIZE\n`, the bytes and a newline.
  std::size_t at = 0;
  for (const TreeEntry& entry : entries) {
    const std::size_t end = blobs->find('\n', at);
    const std::string head = blobs->substr(at, end == std::string::npos ? 0 : end - at);
    std::size_t size = 0;
    const std::size_t space = head.rfind(' ');
    const char* digits = head.data() + (space == head.npos ? head.size() : space + 1);
    if (std::from_chars(digits, head.data() + head.size(), size).ec != std::errc() ||
        head.find(" blob ") == head.npos || end + 1 + size > blobs->size())
      return kernel::Problem{folder_, 0, entry.path, "git cannot read this file of tree " + tree,
                             "fetch the whole history: git fetch --unshallow"};
    files[entry.path] = {blobs->substr(end + 1, size), entry.executable, entry.link};
    at = end + 1 + size + 1;
  }
  return files;
}

}  // namespace histories
