#pragma once
// The files of an image in a folder. A folder is used as it is; a file is unpacked once into HOME/kept, under a name
// that follows from its bytes. Any thread, and any number of processes at once.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "executors/image/image_file.h"

namespace executors {

struct UnpackedImage {
  std::string folder;      ///< Absolute.
  std::string place;       ///< The same for a record: absolute, or its name in HOME/kept.
  std::string sha256;      ///< Of the file's bytes, or of the listing of all files and their hashes.
  std::int64_t bytes = 0;  ///< Of the file, or of all files.
};

/// Reads the whole image. `search`: like PATH; unsquashfs or else apptainer unpacks. A problem, with nothing left, if
/// that fails, or if the image has no /bin/sh.
kernel::Result<UnpackedImage> unpack_image(const ImageFile&, const std::string& kept, const std::string& search);

/// A problem if no program on `search` can unpack it.
std::optional<kernel::Problem> cannot_unpack(const ImageFile&, const std::string& search);

}  // namespace executors
