#pragma once
// A private folder below TMPDIR for what is needed for a while; it goes with all that is in it.

#include <string>

#include "base/scratch_folder.h"

namespace artifacts {

class ScratchFolder : public kernel::ScratchFolder {
 public:
  /// NAME and six letters. Throws std::system_error.
  explicit ScratchFolder(const std::string& name);
  std::string file(const std::string& name) const { return path() + "/" + name; }
};

}  // namespace artifacts
