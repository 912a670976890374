#pragma once
// How clients reach the kernel: the path of its Unix socket and the root of the API.

#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace server {

/// The prefix of all paths of the API.
inline constexpr char api_root[] = "/api/v1";

/// A path that fits into a Unix socket's address; a path that is too long is given through an open folder.
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
  static constexpr std::size_t most = 108;  ///< Size of sockaddr_un::sun_path, with the final zero.
  std::string text_;
  int folder_ = -1;
};

}  // namespace server
