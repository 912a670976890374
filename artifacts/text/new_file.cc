#include "artifacts/text/new_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

namespace artifacts {
namespace {

[[noreturn]] void fault(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

NewFile::NewFile(std::string path, mode_t mode)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)) {
  if (fd_ < 0) fault("cannot create " + path_);
}

NewFile::~NewFile() {
  if (fd_ >= 0) ::close(fd_);
}

void NewFile::add(std::string_view bytes) {
  if (!kernel::write_all(fd_, bytes)) fault("cannot write " + path_);
}

void NewFile::close() {
  if (::close(std::exchange(fd_, -1)) != 0) fault("cannot write " + path_);
}

std::string file_bytes(const std::string& path) {
  const kernel::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) fault("cannot read " + path);
  std::string bytes, buffer(1 << 16, '\0');
  ssize_t n = 0;
  while ((n = ::read(fd.get(), buffer.data(), buffer.size())) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fault("cannot read " + path);
    bytes.append(buffer, 0, static_cast<std::size_t>(n));
  }
  return bytes;
}

}  // namespace artifacts
