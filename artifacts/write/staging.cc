#include "artifacts/write/staging.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "artifacts/text/new_file.h"
#include "base/digest.h"

namespace artifacts {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A file that is written; its bytes are hashed meanwhile.
class HashedFile {
 public:
  HashedFile(const std::string& path, mode_t mode) : file_(path, mode) {}

  void add(std::string_view bytes) {
    hash_.update(bytes);
    written_ += static_cast<long long>(bytes.size());
    file_.add(bytes);
  }
  StagedFile done(About about) {
    file_.close();
    return {hash_.hex(), written_, std::move(about)};
  }

 private:
  NewFile file_;
  kernel::Sha256 hash_;
  long long written_ = 0;
};

/// Whether the link leads to a path inside `root`, by its text, because the tree is being copied.
bool stays_inside(const fs::path& link_below_root, const fs::path& target) {
  if (target.is_absolute()) return false;
  const fs::path landing = (link_below_root.parent_path() / target).lexically_normal();
  return !landing.empty() && *landing.begin() != "..";
}

/// The target of a path below the tree, by the texts of links alone.
std::string landing(const std::map<std::string, std::string>& links, std::string path) {
  constexpr int most_links = 40;
  for (int followed = 0; followed < most_links; ++followed) {
    fs::path seen, rest;
    bool led = false;
    for (const fs::path& part : fs::path(path)) {
      if (led) {
        rest /= part;
        continue;
      }
      seen /= part;
      const auto link = links.find(seen.generic_string());
      if (link == links.end()) continue;
      seen = seen.parent_path() / link->second;
      led = true;
    }
    if (!led) return path;
    // An empty rest would add a slash to the path.
    path = (rest.empty() ? seen : seen / rest).lexically_normal().generic_string();
  }
  return "";
}

}  // namespace

void Staging::write(const std::string& path, std::string_view bytes, About about) {
  stream(
      path, [&](const Sink& sink) { sink(bytes); }, std::move(about));
}

void Staging::stream(const std::string& path, const std::function<void(const Sink&)>& produce, About about) {
  if (folder_.empty()) {
    std::string page;
    produce([&](std::string_view bytes) { page += bytes; });
    files_[path] = {"", static_cast<long long>(page.size()), std::move(about)};
    pages_[path] = std::move(page);
    return;
  }
  const fs::path target = fs::path(folder_) / path;
  fs::create_directories(target.parent_path());
  HashedFile file(target.string(), 0644);
  produce([&](std::string_view bytes) { file.add(bytes); });
  files_[path] = file.done(std::move(about));
}

void Staging::make_tree(const std::vector<kernel::ManifestEntry>& entries, const std::string& path,
                        const std::function<std::string(const std::string& sha256)>& bytes,
                        const std::set<std::string>& withheld) {
  if (folder_.empty()) return remember_tree(entries, path, withheld);
  const fs::path target = fs::path(folder_) / path;
  fs::create_directories(target);
  std::vector<std::string> links;
  for (const kernel::ManifestEntry& entry : entries) {
    const fs::path below(entry.path);
    if (below.filename() == ".ara_env" || withheld.contains(entry.path)) continue;
    fs::create_directories(entry.type == kernel::EntryType::folder ? target / below : (target / below).parent_path());
    if (entry.type == kernel::EntryType::folder) continue;
    if (entry.type == kernel::EntryType::link) {
      if (withheld.contains((below.parent_path() / entry.target).lexically_normal().generic_string())) continue;
      if (!stays_inside(below, entry.target))
        throw PackagingFault({kernel::ReasonCode::link_leaves_workspace, {{"file", entry.path}}});
      fs::create_symlink(entry.target, target / below);
      links.push_back(entry.path);
      continue;
    }
    HashedFile file((target / below).string(), entry.type == kernel::EntryType::executable ? 0755 : 0644);
    file.add(bytes(entry.sha256));
    StagedFile& staged = files_[path + "/" + entry.path] = file.done({});
    if (staged.sha256 != entry.sha256)
      throw PackagingFault({kernel::ReasonCode::workspace_file_changed, {{"file", entry.path}}});
  }
  // A link to a file is recorded as its target, as a reader will see it.
  for (const std::string& below : links) {
    const fs::path landing = fs::weakly_canonical(target / below).lexically_relative(fs::weakly_canonical(folder_));
    const auto file = files_.find(landing.generic_string());
    if (file != files_.end()) files_[path + "/" + below] = file->second;
  }
}

void Staging::remember_tree(const std::vector<kernel::ManifestEntry>& entries, const std::string& path,
                            const std::set<std::string>& withheld) {
  std::map<std::string, std::string> links;
  for (const kernel::ManifestEntry& entry : entries) {
    if (fs::path(entry.path).filename() == ".ara_env" || entry.type == kernel::EntryType::folder) continue;
    if (withheld.contains(entry.path)) continue;
    if (entry.type == kernel::EntryType::link)
      links[entry.path] = entry.target;
    else
      files_[path + "/" + entry.path] = {entry.sha256, entry.bytes, {}};
  }
  for (const auto& [link, target] : links)
    if (const auto file = files_.find(path + "/" + landing(links, link)); file != files_.end())
      files_[path + "/" + link] = file->second;
}

void Staging::sync() const {
  const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("cannot open " + folder_);
  // One flush of the file system is cheaper than one per file, and covers the folders too.
  const int failed = ::syncfs(fd);
  const int error = errno;
  ::close(fd);
  errno = error;
  if (failed) fail("cannot flush " + folder_);
}

}  // namespace artifacts
