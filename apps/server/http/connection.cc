#include "apps/server/http/connection.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

namespace server {

std::optional<std::size_t> body_size(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return std::nullopt;
  const std::string text = request.get_header_value("Content-Length");
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) return std::nullopt;
  return size;
}

void normalise_body_headers(httplib::Request& request) {
  if (request.method != "GET") request.ranges.clear();
  const bool may_have_one = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (may_have_one && !request.has_header("Transfer-Encoding") && !request.has_header("Content-Length"))
    request.headers.emplace("Content-Length", "0");
}

std::optional<Refusal> refuses_framing(const httplib::Request& request) {
  if (!request.has_header("Transfer-Encoding")) {
    if (body_size(request)) return std::nullopt;
    return Refusal{400, "the length of the body is not a number", request.get_header_value("Content-Length")};
  }
  const std::string coding = request.get_header_value("Transfer-Encoding");
  if (::strcasecmp(coding.c_str(), "chunked") == 0) return std::nullopt;
  return Refusal{501, "a body needs Content-Length, or chunked coding", coding};
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds for_the_head{10};
constexpr seconds for_the_body{120};
constexpr seconds for_a_write{10};
constexpr std::size_t longest_head = 64 << 10;
constexpr std::size_t buffer_size = 16 << 10;

Connection::Step step_for(short wanted) {
  return wanted == 0        ? Connection::Step::over
         : wanted == POLLIN ? Connection::Step::wants_to_read
                            : Connection::Step::wants_to_write;
}

}  // namespace

Connection::Connection(int socket, SSL_CTX* tls) : socket_(socket), deadline_(Clock::now() + for_the_head) {
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (!tls) return;
  ssl_ = SSL_new(tls);
  if (ssl_) SSL_set_fd(ssl_, socket_);
}

Connection::~Connection() {
  if (ssl_) {
    SSL_shutdown(ssl_);
    SSL_free(ssl_);
  }
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
}

bool Connection::wait(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now()).count();
    pollfd one{socket_, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::clamp<long long>(left, 0, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && (one.revents & (events | POLLHUP)) != 0 && (one.revents & (POLLERR | POLLNVAL)) == 0;
  }
}

Connection::Step Connection::advance() {
  if (ssl_ && !greeted_) {
    ERR_clear_error();
    const int done = SSL_accept(ssl_);
    if (done != 1) return step_for(awaited(done, POLLIN));
    greeted_ = true;
  }
  while (!has_head() && buffer_.size() - begin_ <= longest_head) {
    short wanted = 0;
    if (!receive_more(wanted)) return step_for(wanted);
    // The deadline is for the whole head, however slowly bytes arrive.
    if (!begun_) deadline_ = Clock::now() + for_the_head;
    begun_ = true;
  }
  return Step::ready;
}

bool Connection::has_head() const {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  return rest.find("\r\n\r\n") != rest.npos || rest.find("\n\n") != rest.npos;
}

void Connection::await_request(milliseconds patience) {
  begun_ = begin_ < buffer_.size();
  deadline_ = Clock::now() + (begun_ ? for_the_head : patience);
}

void Connection::begin_request() {
  in_head_ = true;
  begun_ = false;
  read_ = 0;
  deadline_ = Clock::now() + for_the_head;
}

void Connection::head_is_read(std::size_t body_size, bool unknown) {
  in_head_ = false;
  read_ = 0;
  body_size_ = body_size;
  unknown_size_ = unknown;
  deadline_ = Clock::now() + for_the_body;
}

bool Connection::is_between_requests() const {
  return !in_head_ && !unknown_size_ && read_ == body_size_;
}

bool Connection::is_readable() const {
  return begin_ < buffer_.size() || (ssl_ && SSL_pending(ssl_) > 0) || wait(POLLIN, deadline_);
}

bool Connection::is_writable() const {
  pollfd one{socket_, POLLOUT | POLLRDHUP, 0};
  return wait(POLLOUT, Clock::now() + for_a_write) && ::poll(&one, 1, 0) == 1 &&
         (one.revents & (POLLHUP | POLLRDHUP)) == 0;
}

short Connection::awaited(long done, short event) const {
  if (!ssl_) return done < 0 && (errno == EAGAIN || errno == EINTR) ? event : 0;
  switch (SSL_get_error(ssl_, static_cast<int>(done))) {
    case SSL_ERROR_WANT_READ:
      return POLLIN;
    case SSL_ERROR_WANT_WRITE:
      return POLLOUT;
    default:
      return 0;
  }
}

long Connection::send_some(const char* bytes, std::size_t size, short& wanted) const {
  if (ssl_) ERR_clear_error();
  const long sent = ssl_ ? SSL_write(ssl_, bytes, static_cast<int>(std::min<std::size_t>(size, 1 << 20)))
                         : ::send(socket_, bytes, size, MSG_NOSIGNAL);
  wanted = sent > 0 ? static_cast<short>(0) : awaited(sent, POLLOUT);
  return sent;
}

bool Connection::receive_more(short& wanted) {
  buffer_.erase(0, std::exchange(begin_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(before + buffer_size);
  if (ssl_) ERR_clear_error();
  const long got = ssl_ ? SSL_read(ssl_, buffer_.data() + before, static_cast<int>(buffer_size))
                        : ::recv(socket_, buffer_.data() + before, buffer_size, 0);
  wanted = got > 0 ? static_cast<short>(0) : awaited(got, POLLIN);
  buffer_.resize(before + static_cast<std::size_t>(std::max(got, 0L)));
  return got > 0;
}

ssize_t Connection::read(char* bytes, size_t size) {
  if (in_head_ && read_ > longest_head) {
    constexpr std::string_view answer =
        "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    write(answer.data(), answer.size());
    return -1;
  }
  // The deadline is for the whole body; single bytes do not extend it.
  for (short wanted = 0; begin_ == buffer_.size();)
    if (Clock::now() > deadline_ || (!receive_more(wanted) && (wanted == 0 || !wait(wanted, deadline_)))) return -1;
  const std::size_t given = std::min(size, buffer_.size() - begin_);
  std::memcpy(bytes, buffer_.data() + begin_, given);
  begin_ += given;
  read_ += given;
  return static_cast<ssize_t>(given);
}

void Connection::try_send(std::string_view text) {
  short wanted = 0;
  send_some(text.data(), text.size(), wanted);
}

ssize_t Connection::write(const char* bytes, size_t size) {
  std::size_t sent = 0;
  while (sent < size) {
    short wanted = 0;
    const long now = send_some(bytes + sent, size - sent, wanted);
    if (now > 0)
      sent += static_cast<std::size_t>(now);
    else if (wanted == 0 || !wait(wanted, Clock::now() + for_a_write))
      return -1;
  }
  return static_cast<ssize_t>(sent);
}

// Handlers do not use the client's address.
void Connection::get_remote_ip_and_port(std::string&, int&) const {}
void Connection::get_local_ip_and_port(std::string&, int&) const {}

}  // namespace server
