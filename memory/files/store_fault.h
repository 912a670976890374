#pragma once
// Faults below the store: disks, permissions, damaged files. Says what, why and what to do.

#include <stdexcept>
#include <string>

namespace memory {

class StoreFault : public std::runtime_error {
 public:
  StoreFault(const std::string& what, const std::string& why, const std::string& todo, bool is_damage = false,
             bool is_full = false)
      : std::runtime_error(what + ": " + why + (todo.empty() ? "" : ": " + todo)), damage(is_damage), full(is_full) {}

  const bool damage;  ///< Stored bytes are gone or changed; the disk is not merely full or locked.
  const bool full;    ///< The disk is full.
};

}  // namespace memory
