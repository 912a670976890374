#pragma once
// Files as a whole: new ones written piece by piece, existing ones read. Errors of the disk throw std::system_error.

#include <functional>
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

/// Hands a file over piece by piece; through no link.
void read_pieces(const std::string& path, const std::function<void(std::string_view)>& sink);
/// Everything a file holds; throws where it cannot be read.
std::string file_bytes(const std::string& path);

}  // namespace artifacts
