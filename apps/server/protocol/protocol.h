#pragma once
// What the server and its clients agree on: the path of the kernel's Unix socket, the root of the API, the kinds of its
// refusals, and problems and budgets as its JSON.

#include <span>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <nlohmann/json_fwd.hpp>
#include <unistd.h>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

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

/// The kinds of refusals, each with a URI that never changes: the `type` of RFC 9457. The URI is a path of the server,
/// where `GET /problems` explains it.
enum class ProblemType {
#define ETUDE_PROBLEM(name, status, meaning) name,
#include "apps/server/protocol/problem_types.def"
#undef ETUDE_PROBLEM
};

struct ProblemKind {
  ProblemType type;
  std::string_view name;
  int status;
  std::string_view meaning;
};

/// All kinds, in the order of the table.
std::span<const ProblemKind> problem_kinds();
int status_of(ProblemType);
/// "/api/v1/problems#withheld"
std::string uri_of(ProblemType);
/// The first kind with this status, or else `bad_request`.
ProblemType type_of_status(int status);

/// A sentence about the problem: `why`, after its subject if it is only what is said of `what` or of the file.
std::string title_of(const kernel::Problem&);
/// application/problem+json (RFC 9457) with the additional members `file`, `line`, `what`, `why`, `todo` and `machine`.
nlohmann::json problem_body(const kernel::Problem&, int status);
/// The inverse, for any problem document, as far as its members are known.
kernel::Problem problem_of(const nlohmann::json&);

/// {"runs","wall_s","usd","tokens","gpu_hours"}, only those that are set.
nlohmann::json budget_body(const kernel::Budget&);

}  // namespace server
