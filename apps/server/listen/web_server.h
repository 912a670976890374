#pragma once
// Serves the API and the page on TCP during its lifetime, to clients that the access control lets in. Has threads of
// its own; borrows the session and the access control.

#include <memory>
#include <string>

#include "apps/server/access/access.h"
#include "apps/session/control/session.h"
#include "base/result.h"

namespace server {

class Relay;

/// PEM files; both empty for no TLS.
struct TlsFiles {
  std::string certificates, key;
};

class WebServer {
 public:
  /// Listens on `host` and `port` (0 for any free port); answers nothing before `serve`. A problem if the port is taken
  /// or the TLS files are unusable.
  static kernel::Result<std::unique_ptr<WebServer>> listen(const std::string& host, int port, const TlsFiles&);
  /// Lets running requests end, and closes every stream.
  ~WebServer();

  int port() const;
  void serve(session::Session&, AccessControl&);
  /// Serves while another kernel owns the home, by the relay. `serve` replaces this later, with the same access
  /// control.
  void relay(Relay&, AccessControl&);

 private:
  struct Parts;
  void start(AccessControl&);
  explicit WebServer(std::unique_ptr<Parts>);
  std::unique_ptr<Parts> parts_;
};

}  // namespace server
