#pragma once
// One TCP connection, with TLS or without. Until the head of a request is there it waits with many others on one thread
// (`advance`); then it has a thread of its own. Gives up on whoever takes too long over a request, however steadily he
// drips, and on heads without end. Include httplib first.

#include <chrono>
#include <cstddef>
#include <string>

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

  using Clock = std::chrono::steady_clock;
  enum class Step { wants_to_read, wants_to_write, ready, over };
  /// What can be done without waiting: the TLS handshake, where there is one, and reading of a request's head. Ready:
  /// the head is there, or is too long to be one.
  Step advance();
  /// When whoever it waits for has had his time.
  Clock::time_point deadline() const { return deadline_; }
  /// The next request is waited for, for so long.
  void await_request(std::chrono::milliseconds patience);
  /// Says so much without waiting; whoever does not take it is not told.
  void say_if_heard(std::string_view);
  /// A thread has it from here on, and reads the head.
  void begin_request();
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
  bool has_head() const;
  bool wait(short events, Clock::time_point until) const;
  bool fill(Clock::time_point until);
  /// False: nothing came, and nothing will unless it is `wanted`.
  bool receive_more(short& wanted);
  long receive(char* bytes, std::size_t size, short& wanted);
  long send_some(const char* bytes, std::size_t size, short& wanted);

  const int socket_;
  SSL* ssl_ = nullptr;
  bool greeted_ = false;
  std::string buffer_;     ///< What has been received…
  std::size_t begin_ = 0;  ///< …and what of it has been read.
  Clock::time_point deadline_;
  bool begun_ = false;  ///< Something of the next head is there.
  bool in_head_ = true;
  bool unknown_size_ = false;
  std::size_t read_ = 0;       ///< Of the head, or of the body.
  std::size_t body_size_ = 0;  ///< As the head declares it.
};

}  // namespace server
