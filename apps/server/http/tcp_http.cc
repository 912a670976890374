#include "apps/server/http/tcp_http.h"

#include <utility>

#include <openssl/ssl.h>
#include <sys/socket.h>

namespace server {

namespace {

constexpr std::string_view come_again =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// httplib prefers Brotli at its slowest level: five seconds for a megabyte.
void pack_quickly(httplib::Request& request) {
  const bool gzip = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
  request.headers.erase("Accept-Encoding");
  if (gzip) request.headers.emplace("Accept-Encoding", "gzip");
}

/// Runs httplib's tasks on its own thread; they do not wait.
class AtOnce : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override { task(); }
  void shutdown() override {}
};

}  // namespace

void FreeTls::operator()(SSL_CTX* tls) const {
  SSL_CTX_free(tls);
}

TcpHttp::TcpHttp() : workers_(most_active + 1) {
  new_task_queue = [] { return new AtOnce; };
  idle_ = std::make_unique<IdleConnections>(most_idle,
                                            [this](std::unique_ptr<Connection> one) { enqueue(std::move(one)); });
}

TcpHttp::~TcpHttp() {
  close_all();
}

void TcpHttp::raise_backlog() {
  ::listen(svr_sock_, static_cast<int>(most_idle));
}

void TcpHttp::close_all() {
  if (std::exchange(over_, true)) return;
  idle_->close();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : talking_) ::shutdown(socket, SHUT_RDWR);
  }
  workers_.shutdown();
}

bool TcpHttp::process_and_close_socket(socket_t socket) {
  idle_->enter(std::make_unique<Connection>(socket, tls.get()));
  return true;
}

void TcpHttp::enqueue(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    if (talking_.size() >= most_active) return connection->try_send(come_again);
    talking_.insert(connection->socket());
  }
  // Shared, because a task must be copyable.
  workers_.enqueue([this, one = std::make_shared<std::unique_ptr<Connection>>(std::move(connection))] {
    std::unique_ptr<Connection> mine = std::move(*one);
    const bool goes_on = talk(*mine);
    leave(mine->socket());  // Before it is closed, because the number may be used again afterwards.
    if (!goes_on) return;
    mine->await_request(std::chrono::seconds(seconds_between_requests));
    idle_->enter(std::move(mine));
  });
}

bool TcpHttp::talk(Connection& connection) {
  connection.begin_request();
  bool closed = false;
  const bool goes_on = process_request(connection, !is_running(), closed, [&](httplib::Request& request) {
    normalise_body_headers(request);
    const auto size = body_size(request);
    connection.head_is_read(size.value_or(0), !size);
    pack_quickly(request);
  });
  // A connection whose request was refused before its body was read is closed, or the body would be taken for a
  // request.
  return goes_on && !closed && connection.is_between_requests() && is_running();
}

void TcpHttp::leave(int socket) {
  const std::lock_guard lock(mutex_);
  talking_.erase(socket);
}

}  // namespace server
