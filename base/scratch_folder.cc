#include "base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kernel {

ScratchFolder::ScratchFolder(const std::string& stem)
    : path_(stem + std::string(random_letters, 'X')), made_(::mkdtemp(path_.data()) != nullptr) {}

ScratchFolder ScratchFolder::in_tmp(const std::string& name) {
  ScratchFolder folder((std::filesystem::temp_directory_path() / name).string());
  if (!folder) throw std::system_error(errno, std::generic_category(), "cannot create " + folder.path());
  return folder;
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::move(other.path_)), made_(std::exchange(other.made_, false)) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (made_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace kernel
