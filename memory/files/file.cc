#include "memory/files/file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

namespace memory {

bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT;
}

StoreFault fault_of_errno(const std::string& path, const std::string& doing) {
  const int error = errno;
  std::string todo;
  if (is_full(error))
    todo = "make room there, then `etude resume`";
  else if (error == EACCES || error == EPERM || error == EROFS)
    todo = "check its permissions, or choose another home with --home";
  else if (error == EIO)
    todo = "the disk fails: copy what can be read to another one";
  else if (error == EMFILE || error == ENFILE)
    todo = "raise the limit of open files (`ulimit -n`)";
  return {path, "cannot be " + doing + " (" + std::strerror(error) + ")", todo, error == EIO,
          is_full(error) ? std::strerror(error) : ""};
}

long read_some(int fd, char* buffer, std::size_t size) {
  std::size_t length = 0;
  while (length < size) {
    const ssize_t n = ::read(fd, buffer + length, size - length);
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    length += static_cast<std::size_t>(n);
  }
  return static_cast<long>(length);
}

bool read_parts(int fd, const std::function<void(std::string_view)>& part) {
  std::string buffer(1 << 18, '\0');
  for (;;) {
    const long n = read_some(fd, buffer.data(), buffer.size());
    if (n <= 0) return n == 0;
    part(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
  }
}

std::optional<std::string> hash_of_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return std::nullopt;
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  kernel::Sha256 digest;
  if (!read_parts(fd.get(), [&](std::string_view part) { digest.update(part); })) return std::nullopt;
  return digest.hex();
}

void write_all(int fd, std::string_view bytes, const std::string& path) {
  if (!kernel::write_all(fd, bytes)) throw fault_of_errno(path, "written");
}

void sync_file(int fd, const std::string& path) {
  if (::fsync(fd) != 0) throw fault_of_errno(path, "flushed to disk");
}

void sync_folder(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) throw fault_of_errno(path, "opened");
  sync_file(fd.get(), path);
}

void sync_file_system(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw fault_of_errno(path, "opened");
  if (::syncfs(fd.get()) != 0) throw fault_of_errno(path, "flushed to disk");
}

kernel::ScratchFolder scratch_folder(const std::string& stem) {
  kernel::ScratchFolder folder(stem);
  if (!folder) throw fault_of_errno(folder.path(), "created");
  return folder;
}

void make_private_folder(const std::string& path) {
  const std::filesystem::path folder(path);
  std::error_code error;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (::mkdir(path.c_str(), 0700) == 0) return;
  if (errno != EEXIST) throw fault_of_errno(path, "created");
  if (!std::filesystem::is_directory(folder, error)) {
    errno = ENOTDIR;
    throw fault_of_errno(path, "used as a folder");
  }
}

}  // namespace memory
