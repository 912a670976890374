#pragma once
// Writes a tar archive into an open file, entry by entry, in constant memory. Only this file of the room includes
// libarchive. Faults throw StoreFault with the archive's path.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace memory {

class TarFile {
 public:
  /// The caller owns `fd` and makes it durable; `path` is for messages.
  TarFile(int fd, std::string path);

  void folder(const std::string& name);
  /// Exactly `bytes` bytes must follow by `write`.
  void file(const std::string& name, std::int64_t bytes, unsigned mode);
  void write(std::string_view part);
  /// Completes the archive.
  void close();

 private:
  struct Freer {
    void operator()(archive*) const;
  };
  void entry(const std::string& name, std::int64_t bytes, unsigned type, unsigned mode);
  void check(int code) const;

  const std::string path_;
  std::unique_ptr<archive, Freer> archive_;
};

}  // namespace memory
