#pragma once
// Serves the API on HOME/kernel.sock for as long as it lives. Threads of its own; borrows the session.

#include <memory>

#include "apps/session/control/session.h"

namespace server {

class AccessControl;

class SocketServer {
 public:
  /// Only for the home's owner: whatever lies at the socket's place is nobody's. Throws std::runtime_error where no
  /// socket can be made. `access`: of the page, where one is served beside it; borrowed.
  explicit SocketServer(session::Session&, AccessControl* access = nullptr);
  /// Lets what is being answered end, and closes every stream.
  ~SocketServer();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace server
