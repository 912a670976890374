#include "executors/sandbox/etc_copy.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "base/remove_tree.h"
#include "base/scratch_folder.h"
#include "executors/run_protocol/small_files.h"

namespace executors {
namespace {

namespace fs = std::filesystem;

/// Something to copy: what it is, and where it comes from.
struct Source {
  std::string path;  ///< Below the root.
  std::string from;  ///< Absolute; of a link that is followed, its target.
  std::string link;  ///< Of a link that stays one, its target.
  struct stat is = {};
};

/// Files and folders that a job may read in the original, too: the copies belong to this user, and a job of root has no
/// capability to read what belongs to others.
bool may_be_read(const struct stat& is) {
  const bool folder = S_ISDIR(is.st_mode);
  const mode_t others = folder ? S_IROTH | S_IXOTH : S_IROTH;
  return (folder || S_ISREG(is.st_mode)) && (is.st_uid == geteuid() || (is.st_mode & others) == others);
}

/// Adds what is below `from` and can be read. False: it is too much.
bool add_below(const std::string& path, const std::string& from, std::int64_t& bytes, std::vector<Source>& found) {
  Source source{path, from, {}};
  if (lstat(from.c_str(), &source.is) != 0) return true;
  if (S_ISLNK(source.is.st_mode)) {
    std::error_code error;
    source.link = fs::read_symlink(from, error).string();
    if (source.link.empty()) return true;
  } else if (!may_be_read(source.is)) {
    return true;
  }
  const bool folder = S_ISDIR(source.is.st_mode);
  if (!folder) bytes += source.is.st_size;
  found.push_back(std::move(source));
  if (bytes > most_etc_bytes || found.size() > most_etc_entries) return false;
  if (!folder) return true;
  std::vector<std::string> names;
  supervisor::Entries entries(AT_FDCWD, from.c_str());
  while (const char* name = entries.next()) names.emplace_back(name);
  std::ranges::sort(names);
  return std::ranges::all_of(
      names, [&](const std::string& name) { return add_below(path + "/" + name, from + "/" + name, bytes, found); });
}

/// None: it is too much.
std::optional<std::vector<Source>> sources(const std::string& root, const std::vector<std::string>& entries) {
  std::vector<Source> found;
  std::int64_t bytes = 0;
  for (const std::string& entry : entries) {
    const std::string path = root + "/" + entry;
    Source source{entry, path, target_in_usr(path)};
    std::error_code error;
    if (!source.link.empty() && lstat(path.c_str(), &source.is) == 0)
      found.push_back(std::move(source));
    else if (const fs::path real = fs::canonical(path, error); !error && !add_below(entry, real, bytes, found))
      return std::nullopt;
  }
  return found;
}

std::string boot() {
  const auto id = supervisor::read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
  return kernel::sha256_hex(id.value_or("")).substr(0, 12);
}

std::string number(std::int64_t value) {
  return std::to_string(value) + " ";
}

/// Changes when an entry does: writing a file changes its times.
std::string state_of(const std::vector<Source>& sources, const std::vector<EtcFile>& files) {
  kernel::Sha256 hash;
  const auto add = [&](const std::string& text) { hash.update(number(static_cast<std::int64_t>(text.size())) + text); };
  for (const Source& source : sources) {
    add(source.path);
    add(source.link);
    const struct stat& is = source.is;
    add(number(is.st_mode) + number(is.st_size) + number(static_cast<std::int64_t>(is.st_ino)) +
        number(is.st_mtim.tv_sec) + number(is.st_mtim.tv_nsec) + number(is.st_ctim.tv_sec) +
        number(is.st_ctim.tv_nsec));
  }
  for (const auto& [path, text] : files) {
    add(path);
    add(text);
  }
  return hash.hex().substr(0, 24);
}

bool make_parents(const std::string& folder, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
    if (mkdir((folder + "/" + path.substr(0, slash)).c_str(), 0755) != 0 && errno != EEXIST) return false;
  return true;
}

bool set_time(const std::string& path, const struct stat& is) {
  const timespec times[] = {is.st_mtim, is.st_mtim};
  return utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0;
}

bool copy_file(const Source& source, const std::string& to) {
  const auto text = supervisor::read_file(AT_FDCWD, source.from.c_str(), most_etc_bytes);
  if (!text) return false;
  const mode_t mode = source.is.st_mode & 0777;
  const kernel::Fd file(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  return file && supervisor::write_all(file.get(), *text) && fchmod(file.get(), mode) == 0 && set_time(to, source.is);
}

bool copy_all(const std::vector<Source>& sources, const std::vector<EtcFile>& files, const std::string& folder) {
  for (const Source& source : sources) {
    const std::string to = folder + "/" + source.path;
    if (!make_parents(folder, source.path)) return false;
    const bool made = !source.link.empty()         ? symlink(source.link.c_str(), to.c_str()) == 0
                      : S_ISDIR(source.is.st_mode) ? mkdir(to.c_str(), 0755) == 0
                                                   : copy_file(source, to);
    if (!made) return false;
  }
  for (const auto& [path, text] : files)
    if (!make_parents(folder, path) || !supervisor::write_file(AT_FDCWD, (folder + "/" + path).c_str(), text))
      return false;
  // A folder's time changes with each entry made in it.
  for (const Source& source : sources)
    if (source.link.empty() && S_ISDIR(source.is.st_mode) && !set_time(folder + "/" + source.path, source.is))
      return false;
  return chmod(folder.c_str(), 0755) == 0;
}

void remove_old(const std::string& folder, const std::string& boot) {
  constexpr std::int64_t day_s = 24 * 60 * 60;
  supervisor::Entries entries(AT_FDCWD, folder.c_str());
  while (const char* name = entries.next()) {
    struct stat is = {};
    const std::string path = folder + "/" + name;
    if (!std::string(name).starts_with(boot) && lstat(path.c_str(), &is) == 0 && time(nullptr) - is.st_mtime > day_s)
      kernel::remove_tree(path);
  }
}

}  // namespace

std::string target_in_usr(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  const std::string from_root = error ? "" : (fs::path(path).parent_path() / target).lexically_normal().string();
  return from_root.starts_with("/usr/") ? from_root : "";
}

std::string copy_of_etc(const std::string& root, const std::vector<std::string>& entries,
                        const std::vector<EtcFile>& files, const std::string& folder) {
  const auto found = sources(root, entries);
  if (!found) return "";
  // A crash of the machine may lose the content of files that exist: a copy is used until the next boot only.
  const std::string of_boot = boot(), path = folder + "/" + of_boot + "-" + state_of(*found, files);
  if (access(path.c_str(), R_OK | X_OK) == 0) return path;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return "";
  remove_old(folder, of_boot);
  const kernel::ScratchFolder made(folder + "/new-");
  if (!made || !copy_all(*found, files, made.path())) return "";
  // Another process may have made the same copy since.
  if (rename(made.path().c_str(), path.c_str()) != 0 && errno != EEXIST && errno != ENOTEMPTY) return "";
  return path;
}

std::string etc_copies_of(const std::string& run_folder) {
  const fs::path kind = fs::path(run_folder).parent_path().parent_path();
  return kind.filename() == "runs" || kind.filename() == "try" ? kind.parent_path() / "sandbox" : fs::path();
}

}  // namespace executors
