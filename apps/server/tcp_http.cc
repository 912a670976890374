#include "apps/server/tcp_http.h"

#include <charconv>

#include <openssl/ssl.h>
#include <sys/socket.h>

#include "apps/server/connection.h"

namespace server {

namespace {

void turn_away(Connection& connection) {
  constexpr std::string_view answer =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  connection.write(answer.data(), answer.size());
}

}  // namespace

void FreeTls::operator()(SSL_CTX* tls) const {
  SSL_CTX_free(tls);
}

std::optional<std::size_t> body_size(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return std::nullopt;
  const std::string text = request.get_header_value("Content-Length");
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) return std::nullopt;
  return size;
}

void TcpHttp::let_many_wait() {
  ::listen(svr_sock_, static_cast<int>(most_connections));
}

void TcpHttp::hang_up() {
  const std::lock_guard lock(mutex_);
  for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
}

bool TcpHttp::process_and_close_socket(socket_t socket) {
  const std::size_t open = enter(socket);
  Connection connection(socket, tls.get());
  if (connection.greet()) open > most_connections ? turn_away(connection) : talk(connection);
  leave(socket);  // Before it is closed: the number may be another's then.
  return true;
}

void TcpHttp::talk(Connection& connection) {
  for (std::size_t left = requests_per_connection; left > 0 && is_running(); --left) {
    if (!connection.await_request(std::chrono::seconds(seconds_between_requests))) return;
    bool closed = false;
    const bool goes_on = process_request(connection, left == 1, closed, [&](httplib::Request& request) {
      const auto size = body_size(request);
      connection.head_is_read(size.value_or(0), !size);
    });
    // What has been refused before its body was read ends here, or the body would be taken for a request.
    if (!goes_on || closed || !connection.is_between_requests()) return;
  }
}

std::size_t TcpHttp::enter(int socket) {
  const std::lock_guard lock(mutex_);
  open_.insert(socket);
  return open_.size();
}

void TcpHttp::leave(int socket) {
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
}

}  // namespace server
