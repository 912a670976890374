#pragma once
// Writes a new file piece by piece, and reads whole files. Disk errors throw std::system_error.

#include <string>
#include <string_view>

#include <sys/types.h>

namespace artifacts {

class NewFile {
 public:
  NewFile(std::string path, mode_t mode);  ///< Follows no link and replaces no file.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  void add(std::string_view bytes);
  /// Closes the file and reports errors that only closing shows.
  void close();

 private:
  const std::string path_;
  int fd_;
};

/// The whole content; follows no link, throws if it cannot be read.
std::string file_bytes(const std::string& path);

}  // namespace artifacts
