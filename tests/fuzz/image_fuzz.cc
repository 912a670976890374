// Any bytes as an image of Apptainer: refused, or its root's file system lies in the file.
#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "executors/image/image_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("image", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  const auto image = executors::look_at_image(path);
  if (!image) return 0;
  if (image->folder || image->system.empty()) __builtin_trap();
  if (image->offset < 0 || image->offset >= image->bytes || image->bytes != static_cast<std::int64_t>(size))
    __builtin_trap();
  return 0;
}
