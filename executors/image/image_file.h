#pragma once
// What a study names as an image of Apptainer: a folder, a SIF file or a file with squashfs. Finds the file system of
// its root, and reads nothing else. SIF is read as its specification says: github.com/apptainer/sif, version 01.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace executors {

struct ImageFile {
  std::string path;  ///< Absolute.
  bool folder = false;
  std::string system;       ///< Of a file: its root's file system, "squashfs", or one that only Apptainer reads.
  std::int64_t offset = 0;  ///< Of a file: where that file system begins.
  std::int64_t bytes = 0;   ///< Of a file.
};

/// `machine`: this machine lacks something; otherwise what the study names is wrong.
kernel::Problem problem_of_image(std::string why, std::string todo, bool machine = false);

/// A problem if nothing is there, if it cannot be read, or if it is no image.
kernel::Result<ImageFile> look_at_image(const std::string& path);

}  // namespace executors
