#pragma once
// Files below the store: whole reads and writes, and durable renames. Knows nothing of blobs or databases. Faults throw
// StoreFault with the path.

#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/scratch_folder.h"
#include "memory/files/store_fault.h"

namespace memory {

using kernel::Fd;

/// Whether the error number says that a disk or a quota is full.
bool is_full(int error);
/// The fault for `errno`, with a fitting remedy.
StoreFault fault_of_errno(const std::string& path, const std::string& doing);

/// Reads up to `size` bytes, less only at the end of the file. -1 and errno on failure.
long read_some(int fd, char* buffer, std::size_t size);
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
