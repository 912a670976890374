#pragma once
// The library's HTTP server on connections of our own, which it can end, and of which none has a thread before it has
// asked something. Include httplib first.

#include <memory>
#include <mutex>
#include <optional>
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
  /// All of them together are files, of which a process may mostly have 1024 open.
  static constexpr int most_streams = 512;
  static constexpr std::size_t most_talking = most_streams + 128;  ///< Beyond, each is answered 503.
  static constexpr std::size_t most_waiting = 256;                 ///< Beyond, who has waited longest is hung up on.
  static constexpr int seconds_between_requests = 15;

  TcpHttp();
  ~TcpHttp() override;

  Tls tls;  ///< Null: without TLS. Set before it listens.

  /// After it is bound: lets more than the library's five wait to be accepted, whom the system would else forget.
  void let_many_wait();
  /// Ends every connection, and waits for whoever was answering. Once; nothing is answered after it.
  void hang_up();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void attend(std::unique_ptr<Connection>);
  /// Answers one request. True: another may follow.
  bool talk(Connection&);
  void leave(int socket);

  Workers workers_;
  std::mutex mutex_;
  std::set<int> talking_;
  std::unique_ptr<IdleConnections> lobby_;
  bool over_ = false;
};

}  // namespace server
