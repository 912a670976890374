#include "memory/workspace/walk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

namespace memory {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view secret_name = ".ara_env";
/// Of ignored folders, which may hold a whole environment; the size of what comes later is not known.
constexpr int most_measured = 5000;

struct DirCloser {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

class Walker {
 public:
  Walker(const std::string& root, Selection& selection, const std::string& what, const std::string& remedy,
         std::size_t most)
      : root_(root), selection_(selection), what_(what), remedy_(remedy), most_(most) {}

  kernel::Result<Walk> run() {
    folder("");
    if (problem_) return *problem_;
    std::ranges::sort(walk_.entries, [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(walk_);
  }

 private:
  std::string full(const std::string& path) const { return path.empty() ? root_ : root_ + "/" + path; }

  void fail(const std::string& path, std::string why, std::string todo) {
    if (!problem_) problem_ = kernel::Problem{full(path), 0, what_, std::move(why), std::move(todo)};
  }

  void fail_errno(const std::string& path) {
    fail(path, std::string("cannot be read (") + std::strerror(errno) + ")", "make it readable, or " + remedy_);
  }

  /// Returns false if the folder is left out.
  bool folder(const std::string& path) {
    if (!selection_.enter(path)) return false;
    std::vector<std::string> names;
    {
      const std::unique_ptr<DIR, DirCloser> dir(::opendir(full(path).c_str()));
      errno = dir ? 0 : errno;
      while (dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
          names.emplace_back(entry->d_name);
        errno = 0;
      }
      if (errno != 0) fail_errno(path);
    }
    const std::size_t before = walk_.entries.size();
    for (const std::string& name : names) {
      if (problem_) break;
      entry(path.empty() ? name : path + "/" + name);
    }
    selection_.leave();
    // Programs may expect a folder even if nothing in it is selected.
    if (!path.empty() && walk_.entries.size() == before)
      walk_.entries.push_back({kernel::EntryType::folder, path, 0, 0, ""});
    if (walk_.entries.size() > most_) fail("", fmt::format("holds more than {} files", most_), remedy_);
    return true;
  }

  void entry(const std::string& path) {
    struct stat status {};
    if (::lstat(full(path).c_str(), &status) != 0) {
      if (errno != ENOENT) fail_errno(path);
      return;
    }
    const bool is_folder = S_ISDIR(status.st_mode);
    if (!selection_.wants(path, is_folder)) {
      if (selection_.ignores(path, is_folder)) walk_.ignored.push_back({path + (is_folder ? "/" : ""), size(path)});
      return;
    }
    if (!kernel::valid_utf8(path)) {
      fail(path, "has a name that is no UTF-8", "rename it, or " + remedy_);
    } else if (is_folder) {
      folder(path);
    } else if (S_ISLNK(status.st_mode)) {
      link(path);
    } else if (S_ISREG(status.st_mode)) {
      const std::int64_t modified = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
      walk_.entries.push_back({status.st_mode & S_IXUSR ? kernel::EntryType::executable : kernel::EntryType::file, path,
                               static_cast<std::int64_t>(status.st_size), modified, ""});
    } else {
      walk_.warnings.push_back(full(path) + " is left out: it is no regular file");
    }
  }

  /// Follows a link to a file, because data often are links.
  std::int64_t size(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(full(path), error)) {
      const std::uintmax_t bytes = fs::file_size(full(path), error);
      return error ? 0 : static_cast<std::int64_t>(bytes);
    }
    std::int64_t bytes = 0;
    fs::recursive_directory_iterator it(full(path), fs::directory_options::skip_permission_denied, error);
    for (; !error && it != fs::recursive_directory_iterator() && measured_ < most_measured; it.increment(error)) {
      ++measured_;
      std::error_code unknown;
      const std::uintmax_t one = it->is_regular_file(unknown) ? it->file_size(unknown) : 0;
      if (!unknown) bytes += static_cast<std::int64_t>(one);
    }
    return bytes;
  }

  void link(const std::string& path) {
    std::error_code error;
    const fs::path written = fs::read_symlink(full(path), error);
    const fs::path real = fs::canonical(full(path), error);
    if (error) {
      walk_.warnings.push_back(full(path) + " is left out: it links to nothing (" + written.string() + ")");
      return;
    }
    const fs::path inside = real.lexically_relative(root_);
    if (inside.empty() || *inside.begin() == "..") {
      fail(path, "is a link that leads out, to " + real.string(),
           "declare what it leads to under `data:`, replace the link by what it leads to, or " + remedy_);
      return;
    }
    // The target is kept as written if that works in every copy; a path through the outside is rewritten.
    const fs::path from = fs::path(path).parent_path();
    const fs::path lexical = (from / written).lexically_normal();
    const bool holds = written.is_relative() && (lexical.empty() || *lexical.begin() != "..");
    const fs::path target = holds ? written : inside.lexically_relative(from.empty() ? "." : from);
    if (!kernel::valid_utf8(target.native()))
      fail(path, "links to a name that is no UTF-8", "rename it, or " + remedy_);
    else
      walk_.entries.push_back({kernel::EntryType::link, path, 0, 0, target.string()});
  }

  const std::string root_;
  Selection& selection_;
  const std::string what_, remedy_;
  const std::size_t most_;
  Walk walk_;
  int measured_ = 0;
  std::optional<kernel::Problem> problem_;
};

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
  // The home, another one, whose token is a key, and artifacts.
  const auto holds = [&](const char* file) { return fs::exists(folder + "/" + file, error); };
  if (!path.empty() && (folder == home_ || holds("etude.db") || holds("etude.json"))) {
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

bool Selection::ignores(const std::string& path, bool is_folder) const {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (all_ || name == secret_name || name == ".git") return false;
  return exclude_.ask(path, is_folder) == IgnoreRules::Answer::none &&
         rules_.ask(above_ + path, is_folder) == IgnoreRules::Answer::ignored;
}

kernel::Result<Walk> walk(const std::string& root, Selection& selection, const std::string& what,
                          const std::string& remedy, std::size_t most) {
  return Walker(root, selection, what, remedy, most).run();
}

}  // namespace memory
