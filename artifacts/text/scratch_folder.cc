#include "artifacts/text/scratch_folder.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace artifacts {

ScratchFolder::ScratchFolder(const std::string& name)
    : kernel::ScratchFolder((std::filesystem::temp_directory_path() / name).string()) {
  if (!*this) throw std::system_error(errno, std::generic_category(), "cannot create " + path());
}

}  // namespace artifacts
