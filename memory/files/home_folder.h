#pragma once
// The folder of the store: created for its owner only, and refused on network file systems, which lack the shared
// memory and the locks that SQLite's write-ahead log needs. It keeps disk space in reserve. One thread at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memory {

/// HOME/etude.db
std::string database_path(const std::string& home);

/// The name of the network file system, if it is one. `magic`: f_type of statfs. `mount_type`: as in
/// /proc/self/mountinfo ("fuse.sshfs"), used if the magic is that of FUSE.
std::optional<std::string> network_file_system(long magic, std::string_view mount_type);

/// The type of the mount of `path`, as in /proc/self/mountinfo; empty if it cannot be found.
std::string mount_type_of(const std::string& path);

/// Creates the home (0700) if it does not exist, and makes an empty one private. Throws StoreFault, naming --home, if
/// it lies on a network file system or cannot be used.
void prepare_home(const std::string& home);

/// What a home without a store is.
enum class Storeless {
  nothing,  ///< No such folder, or no sign of a store.
  lost,     ///< It has blobs, workspaces or runs, so its store was lost.
};
Storeless without_store(const std::string& home);
inline constexpr const char* store_lost =
    "the store is missing or empty, but blobs, workspaces or runs are here: restore it from a backup";

/// Less than the margin of a nearly full disk (`supervisor::disk_nearly_full`), so releasing it changes no verdict.
inline constexpr std::int64_t disk_reserve_bytes = 4 << 20;

/// Disk space that a home keeps in reserve, as a file. When the disk is full the file is deleted, so that the store can
/// still record why the study pauses.
class DiskReserve {
 public:
  explicit DiskReserve(std::string path) : path_(std::move(path)) {}

  /// Creates the file, unless it exists or the disk has less than four times its size free.
  void create() const;
  /// Deletes the file. Returns false if there was none.
  bool release() const;

 private:
  std::string path_;
};

}  // namespace memory
