#pragma once
// The folder the store lives in: created for its owner only, and on a disk that keeps its promises. SQLite's
// write-ahead log needs shared memory and honest locks, which file systems over a network do not give.

#include <optional>
#include <string>
#include <string_view>

namespace memory {

/// HOME/etude.db
std::string database_path(const std::string& home);

/// What the network file system is called, if this is one. `magic`: statfs's f_type; `mount_type`: as in
/// /proc/self/mountinfo ("fuse.sshfs"), looked at where the magic is FUSE's.
std::optional<std::string> network_file_system(long magic, std::string_view mount_type);

/// The type of the mount that `path` lies on, as in /proc/self/mountinfo; empty when it cannot be found.
std::string mount_type_of(const std::string& path);

/// Creates the home (0700) where there is none, and makes an empty one private. Throws StoreFault, naming --home, when
/// it lies on a network file system or cannot be used.
void prepare_home(const std::string& home);

/// What a home is whose store cannot be found.
enum class Storeless {
  nothing,  ///< No such folder, or one that tells of no store.
  lost,     ///< Blobs, workspaces or runs are there: a store was, too.
};
Storeless without_store(const std::string& home);
inline constexpr const char* store_lost =
    "the store is missing or empty, but blobs, workspaces or runs are here: restore it from a backup";

}  // namespace memory
