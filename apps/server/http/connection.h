#pragma once
// One TCP connection, with or without TLS. It waits for the head of a request together with many others on one thread
// (`advance`), and then gets a thread of its own. It is closed if a request takes too long, however steadily bytes
// arrive, or if its head is too long. Also where the body of a request ends (RFC 9112, 6.3). Include httplib first.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include <httplib.h>
#include <openssl/types.h>

#include "apps/server/access/access.h"

namespace server {

/// The length of the body by the head; none if only its end shows it.
std::optional<std::size_t> body_size(const httplib::Request&);
/// To be called before the body is read. Without a length and without chunks there is no body. Ranges are kept only for
/// logs, because httplib would cut streams as well.
void normalise_body_headers(httplib::Request&);
/// The refusal if the end of the body cannot be found.
std::optional<Refusal> refuses_framing(const httplib::Request&);

class Connection : public httplib::Stream {
 public:
  /// Owns the socket. `tls`: may be null; borrowed.
  Connection(int socket, SSL_CTX* tls);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  using Clock = std::chrono::steady_clock;
  enum class Step { wants_to_read, wants_to_write, ready, over };
  /// Does what is possible without waiting: the TLS handshake, if any, and reading of a request's head. It is ready
  /// when the head is complete, or too long.
  Step advance();
  /// When waiting for the client ends.
  Clock::time_point deadline() const { return deadline_; }
  /// Waits for the next request, for at most `patience`.
  void await_request(std::chrono::milliseconds patience);
  /// Sends the text if that is possible without waiting; else the client does not get it.
  void try_send(std::string_view);
  /// To be called by the thread that now owns the connection and reads the head.
  void begin_request();
  /// To be called when the head has been read; `body_size` is the length of the body unless it is `unknown`.
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
  /// Returns false if nothing came, and nothing can come before the socket is `wanted` (a poll event).
  bool receive_more(short& wanted);
  long send_some(const char* bytes, std::size_t size, short& wanted) const;
  /// The poll event after which a call that returned `done` can go on; 0 if it never can. `event`: without TLS.
  short awaited(long done, short event) const;

  const int socket_;
  SSL* ssl_ = nullptr;
  bool greeted_ = false;
  std::string buffer_;     ///< Received bytes.
  std::size_t begin_ = 0;  ///< How many of them have been read.
  Clock::time_point deadline_;
  bool begun_ = false;  ///< Part of the next head has arrived.
  bool in_head_ = true;
  bool unknown_size_ = false;
  std::size_t read_ = 0;       ///< Bytes read of the head, or of the body.
  std::size_t body_size_ = 0;  ///< As declared by the head.
};

}  // namespace server
