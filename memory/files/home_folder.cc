#include "memory/files/home_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "memory/files/file.h"

namespace memory {

std::string database_path(const std::string& home) {
  return home + "/etude.db";
}

namespace {

// statfs(2) and the kernel's magic.h; those of Lustre, GPFS, BeeGFS and PanFS from their own headers.
constexpr std::array<std::pair<unsigned long, std::string_view>, 17> network_magics = {{
    {0x6969, "NFS"},
    {0x517b, "SMB"},
    {0xfe534d42, "SMB2"},
    {0xff534d42, "CIFS"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},
    {0x564c, "NCP"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x01021997, "9P"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
}};
constexpr unsigned long fuse_magic = 0x65735546;
constexpr std::array<std::string_view, 14> network_fuse = {"sshfs",   "s3fs",    "rclone",    "glusterfs", "ceph",
                                                           "davfs2",  "davfs",   "curlftpfs", "gcsfuse",   "goofys",
                                                           "juicefs", "moosefs", "mfs",       "blobfuse2"};

}  // namespace

std::string mount_type_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  const std::string device = fmt::format("{}:{}", major(status.st_dev), minor(status.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string word, id, parent, found;
    words >> id >> parent >> found;
    if (found != device) continue;
    while (words >> word && word != "-") continue;
    words >> word;
    return word;
  }
  return {};
}

std::optional<std::string> network_file_system(long magic, std::string_view mount_type) {
  const auto number = static_cast<unsigned long>(magic) & 0xffffffff;
  for (const auto& [known, name] : network_magics)
    if (known == number) return std::string(name);
  if (number != fuse_magic || !mount_type.starts_with("fuse.")) return std::nullopt;
  mount_type.remove_prefix(5);
  if (std::ranges::find(network_fuse, mount_type) == network_fuse.end()) return std::nullopt;
  return std::string(mount_type);
}

Storeless without_store(const std::string& home) {
  for (const char* folder : {"/blobs", "/workspaces", "/runs"}) {
    std::error_code error;
    if (!std::filesystem::is_empty(home + folder, error) && !error) return Storeless::lost;
  }
  return Storeless::nothing;
}

void prepare_home(const std::string& home) {
  make_private_folder(home);
  struct statfs where {};
  if (::statfs(home.c_str(), &where) != 0) throw fault_of_errno(home, "examined");
  if (const auto network = network_file_system(static_cast<long>(where.f_type), mount_type_of(home)))
    throw StoreFault(home, "lies on a network file system (" + *network + "), where a store would be damaged",
                     "choose a folder on a local disk with --home");
  struct stat status {};
  if (::stat(home.c_str(), &status) != 0) throw fault_of_errno(home, "examined");
  // An existing folder may belong to others (like /tmp), so its mode stays; everything that we put inside is private.
  std::error_code error;
  const bool fresh = std::filesystem::is_empty(home, error) && !error;
  if (fresh && status.st_uid == ::geteuid() && !(status.st_mode & S_ISVTX)) ::chmod(home.c_str(), 0700);
}

void DiskReserve::create() const {
  constexpr std::int64_t plenty = 4 * disk_reserve_bytes;
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
