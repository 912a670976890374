#pragma once
// What breaks below the store: disks, permissions, files that are not what they should be. Says what, why and what to
// do.

#include <stdexcept>
#include <string>

namespace memory {

class StoreFault : public std::runtime_error {
 public:
  StoreFault(const std::string& what, const std::string& why, const std::string& todo, bool is_damage = false,
             bool is_full = false)
      : std::runtime_error(what + ": " + why + (todo.empty() ? "" : ": " + todo)), damage(is_damage), full(is_full) {}

  const bool damage;  ///< Bytes that were stored are gone or changed, as opposed to a disk that is full or locked.
  const bool full;    ///< There is no room on the disk.
};

}  // namespace memory
