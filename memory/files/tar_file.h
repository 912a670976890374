#pragma once
// A tar archive being written into an open file, entry by entry, in constant memory. The only place of this folder that
// includes libarchive. Knows nothing of what the entries mean; faults throw StoreFault with the archive's path.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace memory {

class TarFile {
 public:
  /// `fd` stays the caller's, and so does making it durable; `path` is for messages.
  TarFile(int fd, std::string path);

  void folder(const std::string& name);
  /// Exactly `bytes` bytes have to follow by `write`.
  void file(const std::string& name, std::int64_t bytes, unsigned mode);
  void write(std::string_view part);
  /// Whole only after this.
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
