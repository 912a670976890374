#pragma once
// Idle connections, all on one thread, until a client has sent the head of a request. If there are too many, the one
// that has waited longest is closed, so idle clients cannot keep others out. Include httplib first.

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
  /// Calls `asked` on its thread with each connection that has the head of a request; `asked` must not wait.
  IdleConnections(std::size_t most, std::function<void(std::unique_ptr<Connection>)> asked);
  ~IdleConnections();
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

  void enter(std::unique_ptr<Connection>);
  /// Closes all waiting connections, and all that are added later.
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
  Waiting waiting_;  ///< Used only by the thread, like the next member; in order of arrival.
  std::unordered_map<int, Waiting::iterator> by_socket_;
  std::thread thread_;
};

}  // namespace server
