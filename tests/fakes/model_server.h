#pragma once
// A server of chat completions on loopback that says what a test tells it, streamed, broken or slow: raw sockets, so
// that a connection can be dropped anywhere. One thread per connection.

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fakes {

class ModelServer {
 public:
  struct Asked {
    std::string path, headers, body;
    std::string text() const;                         ///< Of the last message, if it is plain.
    std::chrono::steady_clock::time_point arrived{};  ///< Its first byte.
  };

  /// If a script returns without `end` or `refuse`, the connection is dropped.
  class Answer {
   public:
    explicit Answer(int socket) : socket_(socket) {}
    void refuse(int status, std::string_view body, std::string_view retry_after = "");
    void reply(std::string_view body);  ///< A whole reply, not streamed.
    void say(std::string_view text);    ///< One event with some of the reply's text.
    void event(std::string_view data);
    void end();          ///< The last event, said to be so; the stream is closed when the handler returns.
    void end_of_body();  ///< The stream alone.
    void wait(double seconds) const;
    bool alive() const { return alive_; }
    bool whole() const { return ended_; }
    bool replied() const { return replied_; }

   private:
    void chunk(std::string_view bytes);
    void send_all(std::string_view bytes);
    int socket_;
    bool began_ = false, ended_ = false, replied_ = false, alive_ = true;
  };

  using Handler = std::function<void(const Asked&, Answer&)>;
  explicit ModelServer(Handler handler);
  ~ModelServer();

  /// Without a slash at its end.
  std::string url() const;

 private:
  void accept_all();
  void serve(int socket);

  Handler handler_;
  int listener_ = -1, port_ = 0;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::vector<int> open_;
  std::thread acceptor_;
};

}  // namespace fakes
