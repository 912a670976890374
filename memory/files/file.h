#pragma once
// Files below the store: whole reads and writes, durable renames, and the faults of disks, permissions and damaged
// files. Knows nothing of blobs or databases.

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/scratch_folder.h"

namespace memory {

using kernel::Fd;

/// Says what, why and what to do.
class StoreFault : public std::runtime_error {
 public:
  StoreFault(const std::string& what, const std::string& why, const std::string& todo, bool is_damage = false,
             const std::string& error_if_full = "")
      : std::runtime_error(what + ": " + why + (todo.empty() ? "" : ": " + todo)),
        damage(is_damage),
        full(!error_if_full.empty()),
        place(what),
        error(error_if_full) {}

  const bool damage;        ///< Stored bytes are gone or changed; the disk is not merely full or locked.
  const bool full;          ///< The disk is full.
  const std::string place;  ///< Usually a path.
  const std::string error;  ///< If the disk is full, the message of the system or of SQLite; else empty.
};

/// Whether the error number says that a disk or a quota is full.
bool is_full(int error);
/// The fault for `errno`, with a fitting remedy.
StoreFault fault_of_errno(const std::string& path, const std::string& doing);

/// Reads up to `size` bytes, less only at the end of the file. -1 and errno on failure.
long read_some(int fd, char* buffer, std::size_t size);
/// Calls the function with all bytes from the descriptor's position to its end, in parts. False and errno
/// on failure.
bool read_parts(int fd, const std::function<void(std::string_view)>& part);
/// SHA-256 of a file that is no link, in hex; none, with errno, if it cannot be read.
std::optional<std::string> hash_of_file(const std::string& path);
void write_all(int fd, std::string_view bytes, const std::string& path);
/// Flushes a file's bytes, or a folder's entries.
void sync_file(int fd, const std::string& path);
void sync_folder(const std::string& path);
/// Flushes the whole file system of `path`, which is cheaper than flushing many files.
void sync_file_system(const std::string& path);
/// A temporary folder; see kernel::ScratchFolder.
kernel::ScratchFolder scratch_folder(const std::string& stem);
/// Creates the folder with mode 0700, and its parents.
void make_private_folder(const std::string& path);

}  // namespace memory
