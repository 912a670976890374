#pragma once
// One TCP connection, with TLS or without, on a thread of its own. Gives up on whoever takes too long over a request,
// however steadily he drips, and on heads without end. Include httplib first.

#include <chrono>
#include <cstddef>
#include <vector>

#include <httplib.h>
#include <openssl/types.h>

namespace server {

class Connection : public httplib::Stream {
 public:
  /// Owns the socket from here on. `tls`: may be null; borrowed.
  Connection(int socket, SSL_CTX* tls);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The TLS handshake, where there is one.
  bool greet();
  /// Until the next request begins. False: none came, and the connection has had its time.
  bool await_request(std::chrono::milliseconds patience);
  /// The head of the request has been read; its body has that many bytes, or nobody knows how many.
  void head_is_read(std::size_t body_size, bool unknown);
  /// Whether the request's body has been read to its end, so that another request may follow.
  bool is_between_requests() const;

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string&, int&) const override;
  void get_local_ip_and_port(std::string&, int&) const override;
  int socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, Clock::time_point until) const;
  bool fill(Clock::time_point until);
  long receive(char* bytes, std::size_t size, short& wanted);
  long send_some(const char* bytes, std::size_t size, short& wanted);

  const int socket_;
  SSL* ssl_ = nullptr;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< What of the buffer has been received and not read.
  Clock::time_point deadline_;
  bool in_head_ = true;
  bool unknown_size_ = false;
  std::size_t read_ = 0;       ///< Of the head, or of the body.
  std::size_t body_size_ = 0;  ///< As the head declares it.
};

}  // namespace server
