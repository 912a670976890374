#pragma once
// A folder of our own for what is needed for a while. Any thread.

#include <cstddef>
#include <string>

namespace kernel {

/// A folder that only its owner may enter; it goes with all that is in it. Moved from, it owns nothing.
class ScratchFolder {
 public:
  static constexpr std::size_t random_letters = 6;

  /// Makes `stem` followed by that many random letters; what is above must exist. False, and `errno` says why, where it
  /// cannot be made.
  explicit ScratchFolder(const std::string& stem);
  /// Below TMPDIR: NAME and random letters. Throws std::system_error.
  static ScratchFolder in_tmp(const std::string& name);
  ScratchFolder(ScratchFolder&&) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  explicit operator bool() const { return made_; }
  /// Where it cannot be made: the name that was asked for.
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace kernel
