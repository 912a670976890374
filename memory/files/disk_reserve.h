#pragma once
// Disk space that a home keeps in reserve, as a file. When the disk is full the file is deleted, so that the store can
// still record why the study pauses. One thread at a time.

#include <cstdint>
#include <string>

namespace memory {

/// Less than the margin of a nearly full disk (`supervisor::disk_nearly_full`), so releasing it changes no verdict.
inline constexpr std::int64_t disk_reserve_bytes = 4 << 20;

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
