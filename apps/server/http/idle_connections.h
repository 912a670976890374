#pragma once
// Idle connections, all on one thread, until a client has sent the head of a request. If there are too many, the one
// that has waited longest is closed, so idle clients cannot keep others out. Include httplib first.

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
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
  void watch();
  void ring() const;

  const std::size_t most_;
  const std::function<void(std::unique_ptr<Connection>)> asked_;
  const int bell_;  ///< An eventfd that ends the thread's wait.
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> new_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace server
