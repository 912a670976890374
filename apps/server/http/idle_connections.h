#pragma once
// Where connections wait until somebody has asked something: all of them on one thread, whatever they do or leave
// undone. When it is full, whoever has waited longest goes: nobody can keep others out by doing nothing. Include
// httplib first.

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "apps/server/http/connection.h"

namespace server {

class IdleConnections {
 public:
  /// `asked` is called on the lobby's thread with each connection that has the head of a request, and must not wait.
  IdleConnections(std::size_t most, std::function<void(std::unique_ptr<Connection>)> asked);
  ~IdleConnections();
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

  void enter(std::unique_ptr<Connection>);
  /// Ends whatever waits, and whatever enters from here on.
  void close();

 private:
  using Waiting = std::list<std::unique_ptr<Connection>>;
  void watch();
  void ring();
  void admit();
  void go_on_with(int socket);
  void end_late_ones();
  void remove(int socket);

  const std::size_t most_;
  const std::function<void(std::unique_ptr<Connection>)> asked_;
  const int epoll_, bell_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> new_;
  bool closing_ = false;
  Waiting waiting_;  ///< Of the thread, like the next: who came first is first.
  std::unordered_map<int, Waiting::iterator> by_socket_;
  std::thread thread_;
};

}  // namespace server
