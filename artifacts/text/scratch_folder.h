#pragma once
// A private folder for what is needed for a while; it goes with all that is in it.

#include <string>

namespace artifacts {

class ScratchFolder {
 public:
  /// Below TMPDIR: NAME and six characters. Throws std::system_error.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace artifacts
