#pragma once
// Where a client finds the kernel: the path of its Unix socket and the root of the API below it.

#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace server {

/// All paths of the API begin with it.
inline constexpr char api_root[] = "/api/v1";

/// A path short enough for a Unix socket's address: where it is too long, the same place by way of an open folder.
class SocketPath {
 public:
  explicit SocketPath(const std::string& path) : text_(path) {
    if (path.size() < most) return;
    const std::size_t slash = path.rfind('/');
    folder_ = ::open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_ >= 0) text_ = "/proc/self/fd/" + std::to_string(folder_) + path.substr(slash);
  }
  SocketPath(const SocketPath&) = delete;
  SocketPath& operator=(const SocketPath&) = delete;
  ~SocketPath() {
    if (folder_ >= 0) ::close(folder_);
  }

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t most = 108;  ///< sockaddr_un::sun_path, its end included.
  std::string text_;
  int folder_ = -1;
};

}  // namespace server
