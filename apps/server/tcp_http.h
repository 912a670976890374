#pragma once
// The library's HTTP server on connections of our own, which it can end. Include httplib first.

#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include <httplib.h>

namespace server {

class Connection;

struct FreeTls {
  void operator()(SSL_CTX* tls) const;
};
using Tls = std::unique_ptr<SSL_CTX, FreeTls>;

/// A body's length as the head tells it; nothing: only its end tells.
std::optional<std::size_t> body_size(const httplib::Request&);

class TcpHttp : public httplib::Server {
 public:
  static constexpr std::size_t most_connections = 200;  ///< Beyond, each is answered 503.
  static constexpr std::size_t requests_per_connection = 1000;
  static constexpr int seconds_between_requests = 15;

  Tls tls;  ///< Null: without TLS. Set before it listens.

  /// After it is bound: lets more than the library's five wait to be accepted, whom the system would else forget.
  void let_many_wait();
  /// Ends every connection.
  void hang_up();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void talk(Connection&);
  std::size_t enter(int socket);
  void leave(int socket);

  std::mutex mutex_;
  std::set<int> open_;
};

}  // namespace server
