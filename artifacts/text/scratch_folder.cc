#include "artifacts/text/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace artifacts {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& name)
    : path_((fs::temp_directory_path() / (name + "XXXXXX")).string()) {
  if (!::mkdtemp(path_.data())) throw std::system_error(errno, std::generic_category(), "cannot create " + path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace artifacts
