#pragma once
// A file that was not there before, written piece by piece. Errors of the disk throw std::system_error.

#include <string>
#include <string_view>

#include <sys/types.h>

namespace artifacts {

class NewFile {
 public:
  NewFile(std::string path, mode_t mode);  ///< Through no link, over no other file.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  void add(std::string_view bytes);
  /// What only closing tells of the disk. Nothing is added after.
  void close();

 private:
  const std::string path_;
  int fd_;
};

}  // namespace artifacts
