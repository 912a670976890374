#include "executors/confinement/user_map.h"

#include <string>

#include <fcntl.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

bool map_own_ids(const OwnIds& own) {
  const auto map = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
  return write_file(AT_FDCWD, "/proc/self/setgroups", "deny") &&
         write_file(AT_FDCWD, "/proc/self/gid_map", map(own.group)) &&
         write_file(AT_FDCWD, "/proc/self/uid_map", map(own.user));
}

}  // namespace supervisor
