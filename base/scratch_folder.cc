#include "base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/remove_tree.h"

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
  if (made_) remove_tree(path_);
}

}  // namespace kernel
