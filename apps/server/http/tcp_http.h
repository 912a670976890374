#pragma once
// httplib's HTTP server on our own connections, which it can close, and which get a thread only after a request has
// arrived. Include httplib first.

#include <memory>
#include <mutex>
#include <set>

#include <httplib.h>

#include "apps/server/http/connection.h"
#include "apps/server/http/idle_connections.h"
#include "apps/server/http/workers.h"

namespace server {

struct FreeTls {
  void operator()(SSL_CTX* tls) const;
};
using Tls = std::unique_ptr<SSL_CTX, FreeTls>;

class TcpHttp : public httplib::Server {
 public:
  /// Every stream is an open file, and a process usually may have 1024 of them.
  static constexpr int most_streams = 512;
  static constexpr std::size_t most_active = most_streams + 128;  ///< Further requests are answered with 503.
  static constexpr std::size_t most_idle = 256;  ///< Beyond this, the connection that has waited longest is closed.
  static constexpr int seconds_between_requests = 15;

  TcpHttp();
  ~TcpHttp() override;

  Tls tls;  ///< Null for no TLS. Set it before listening.

  /// After binding: raises the accept queue beyond httplib's five, so that the system drops no connection.
  void raise_backlog();
  /// Closes every connection and waits for running handlers. Call it once; nothing is answered afterwards.
  void close_all();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void enqueue(std::unique_ptr<Connection>);
  /// Answers one request. Returns whether another may follow.
  bool talk(Connection&);
  void leave(int socket);

  Workers workers_;
  std::mutex mutex_;
  std::set<int> talking_;
  std::unique_ptr<IdleConnections> idle_;
  bool over_ = false;
};

}  // namespace server
