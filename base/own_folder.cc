#include "base/own_folder.h"

#include <climits>

#include <unistd.h>

namespace kernel {

std::string own_folder() {
  char file[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", file, sizeof file);
  const std::string path(file, size > 0 ? static_cast<std::size_t>(size) : 0);
  return path.substr(0, path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
}

}  // namespace kernel
