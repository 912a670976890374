#pragma once
// Serves the API on HOME/kernel.sock during its lifetime. Has threads of its own; borrows the session.

#include <memory>

#include "apps/session/control/session.h"

namespace server {

class AccessControl;

class SocketServer {
 public:
  /// Only for the home's owner: replaces any file at the socket's path. Throws std::runtime_error if the socket cannot
  /// be made. `access`: of the page, if one is served too; borrowed.
  explicit SocketServer(session::Session&, AccessControl* access = nullptr);
  /// Lets running requests end, and closes every stream.
  ~SocketServer();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace server
