#pragma once
// A temporary folder that is deleted with its object. Any thread.

#include <cstddef>
#include <string>

namespace kernel {

/// A folder with mode 0700; the destructor deletes it with its content. Moved from, it owns nothing.
class ScratchFolder {
 public:
  static constexpr std::size_t random_letters = 6;

  /// Makes the folder `stem` followed by random letters; its parent must exist. If that fails, the object converts to
  /// false and `errno` says why.
  explicit ScratchFolder(const std::string& stem);
  /// Makes a folder below TMPDIR, named `name` and random letters. Throws std::system_error.
  static ScratchFolder in_tmp(const std::string& name);
  ScratchFolder(ScratchFolder&&) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  explicit operator bool() const { return made_; }
  /// If the folder could not be made: the name that was tried.
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace kernel
