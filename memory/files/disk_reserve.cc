#include "memory/files/disk_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "memory/files/file.h"

namespace memory {

namespace {

constexpr std::int64_t plenty = 4 * disk_reserve_bytes;

}  // namespace

void DiskReserve::create() const {
  const Fd fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || status.st_size >= disk_reserve_bytes) return;
  struct statvfs about {};
  const bool room =
      ::fstatvfs(fd.get(), &about) == 0 && static_cast<std::int64_t>(about.f_bavail * about.f_frsize) >= plenty;
  // The home works without the reserve as long as the disk is not full.
  if (!room || ::posix_fallocate(fd.get(), 0, disk_reserve_bytes) != 0) ::unlink(path_.c_str());
}

bool DiskReserve::release() const {
  return ::unlink(path_.c_str()) == 0;
}

}  // namespace memory
