#pragma once
// An artifact as it was delivered: a folder, or a zip of one. A zip is untrusted: it is unpacked into a private folder,
// nothing is written elsewhere, and its real size is bounded.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/scratch_folder.h"

namespace artifacts {

struct UnpackLimits {
  std::uint64_t bytes = std::uint64_t{8} << 30;  ///< Unpacked size of all files together.
  std::uint64_t entries = 500'000;
  std::size_t depth = 64;
};

class Arrived {
 public:
  /// A problem if the path does not exist or is no zip, or if the zip has a name or link that leads out, a name twice,
  /// a special file, or more than `limits`. Throws std::system_error if it cannot be written.
  static kernel::Result<Arrived> open(const std::string& path, const UnpackLimits& limits = {});
  /// The artifact's folder; for a zip that contains only one folder, that one.
  const std::string& folder() const { return folder_; }

 private:
  explicit Arrived(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
  std::unique_ptr<kernel::ScratchFolder> made_;  ///< Null if the artifact was a folder.
};

}  // namespace artifacts
