#pragma once
// Files below the store: descriptors that close themselves, whole reads and writes, and what makes a rename durable.
// Knows nothing of blobs or databases. Faults throw StoreFault with the path.

#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/scratch_folder.h"
#include "memory/files/store_fault.h"

namespace memory {

using kernel::Fd;

/// Whether the error number says that a disk, or somebody's share of it, is full.
bool is_full(int error);
/// The fault that `errno` tells of, with the remedy that fits it.
StoreFault fault_of_errno(const std::string& path, const std::string& doing);

/// Reads up to `size` bytes, less only at the end of the file. -1 and errno on failure.
long read_some(int fd, char* buffer, std::size_t size);
/// SHA-256 of a file that is no link, in hex; none and errno where it cannot be read.
std::optional<std::string> hash_of_file(const std::string& path);
void write_all(int fd, std::string_view bytes, const std::string& path);
/// Flushes a file's bytes, or a folder's entries.
void sync_file(int fd, const std::string& path);
void sync_folder(const std::string& path);
/// Flushes everything on the file system that holds `path`: cheaper than many single files.
void sync_file_system(const std::string& path);
/// A folder of our own; see kernel::ScratchFolder.
kernel::ScratchFolder scratch_folder(const std::string& stem);
/// Creates the folder and its parents, this one for its owner only.
void make_private_folder(const std::string& path);

}  // namespace memory
