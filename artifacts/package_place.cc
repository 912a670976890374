#include "artifacts/package_place.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "artifacts/package.h"
#include "artifacts/seal.h"

namespace artifacts {

namespace fs = std::filesystem;
using kernel::Problem;

namespace {

Problem cannot_use(const fs::path& folder, const std::string& why, const std::string& todo) {
  return {"", 0, folder.string(), why, todo};
}

bool is_ours(const fs::path& folder) {
  std::ifstream file(folder / "etude.json", std::ios::binary);
  std::string start(256, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return is_seal(start);
}

void flush_entry(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

void exchange(const fs::path& made, const fs::path& target) {
  const auto fail = [&](int error) {
    throw std::system_error(error, std::generic_category(), "cannot put the artifact at " + target.string());
  };
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)) && !fs::is_empty(target)) {
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
      fs::remove_all(made);
      return;
    }
    if (errno != EINVAL && errno != ENOSYS) fail(errno);
    // A file system that cannot exchange: for an instant neither is there, but none is ever half there.
    const fs::path old = made.string() + ".old";
    fs::remove_all(old);
    if (::rename(target.c_str(), old.c_str()) != 0 || ::rename(made.c_str(), target.c_str()) != 0) fail(errno);
    fs::remove_all(old);
    return;
  }
  if (::rename(made.c_str(), target.c_str()) != 0) fail(errno);
}

}  // namespace

fs::path placed(const std::string& folder) {
  fs::path path = fs::weakly_canonical(fs::absolute(folder));
  return path.has_filename() ? path : path.parent_path();
}

void swap_in(const fs::path& made, const fs::path& target) {
  exchange(made, target);
  flush_entry(target.parent_path());
}

kernel::Result<bool> may_replace(const std::string& folder) {
  std::error_code error;
  const fs::path path = placed(folder);
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status))
      return cannot_use(path, "a file stands where the artifact should go", "choose another place with -o");
    const bool empty = fs::is_empty(path, error);
    if (error) return cannot_use(path, "the folder cannot be read: " + error.message(), "choose another place with -o");
    if (!empty && !is_ours(path))
      return cannot_use(path, "the folder is neither empty nor an artifact of ours",
                        "choose another place with -o, or empty it yourself");
  }
  // The artifact is built beside its place, so that is where writing must be possible.
  fs::path above = path.parent_path();
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, error))
    return cannot_use(path, above.string() + " is no folder", "choose another place with -o");
  if (::access(above.c_str(), W_OK | X_OK) != 0)
    return cannot_use(path, "nothing may be written in " + above.string(), "choose another place with -o");
  return true;
}

}  // namespace artifacts
