#pragma once
// An artifact as it came: a folder, or a zip of one. A zip is a stranger's: it is unpacked into a private folder,
// nothing of it can lie elsewhere, and how much it may hold is bounded, whatever it announces.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/scratch_folder.h"

namespace artifacts {

struct UnpackLimits {
  std::uint64_t bytes = std::uint64_t{8} << 30;  ///< Of all files together, as they come out.
  std::uint64_t entries = 500'000;
  std::size_t depth = 64;
};

class Arrived {
 public:
  /// A problem where there is nothing, no zip, or a zip with a name that leads out of it, a name twice, a link that
  /// leads out, what is no file, folder or link, or more than `limits`. Throws std::system_error where it cannot be
  /// written.
  static kernel::Result<Arrived> open(const std::string& path, const UnpackLimits& limits = {});
  /// The artifact's: of a zip, the one folder that it holds where it holds nothing else.
  const std::string& folder() const { return folder_; }

 private:
  explicit Arrived(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
  std::unique_ptr<kernel::ScratchFolder> made_;  ///< Null: it came as a folder.
};

}  // namespace artifacts
