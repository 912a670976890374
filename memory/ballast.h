#pragma once
// Room kept aside in a home: when its disk is full, this is given back, so that what must still be said can be. One
// thread uses it.

#include <cstdint>
#include <string>

namespace memory {

/// Less than what makes a disk nearly full (`supervisor::disk_nearly_full`), so that giving it back changes no verdict.
inline constexpr std::int64_t disk_reserve_bytes = 4 << 20;

class DiskReserve {
 public:
  explicit DiskReserve(std::string path) : path_(std::move(path)) {}

  /// Puts it there, unless it is, or the disk has less than four times that much room.
  void create() const;
  /// Gives the room back. False: there was none to give.
  bool release() const;

 private:
  std::string path_;
};

}  // namespace memory
