#include "apps/server/http/idle_connections.h"

#include <stdexcept>

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace server {

namespace {

constexpr int between_looks_ms = 500;  // How often deadlines are checked.

}  // namespace

IdleConnections::IdleConnections(std::size_t most, std::function<void(std::unique_ptr<Connection>)> asked)
    : most_(most), asked_(std::move(asked)), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_ < 0) throw std::runtime_error("connections cannot be waited for");
  thread_ = std::thread([this] { watch(); });
}

IdleConnections::~IdleConnections() {
  close();
  ::close(bell_);
}

void IdleConnections::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    new_.clear();
  }
  ring();
  if (thread_.joinable()) thread_.join();
}

void IdleConnections::ring() const {
  // If the counter is full, the thread has been woken long ago.
  ::eventfd_write(bell_, 1);
}

void IdleConnections::enter(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    new_.push_back(std::move(connection));
  }
  ring();
}

void IdleConnections::watch() {
  std::vector<std::unique_ptr<Connection>> waiting;  // In order of arrival.
  std::vector<pollfd> sockets;                       // Theirs, and then the bell.
  for (;;) {
    sockets.push_back({bell_, POLLIN, 0});
    if (::poll(sockets.data(), sockets.size(), between_looks_ms) < 0)
      for (pollfd& one : sockets) one.revents = 0;
    sockets.pop_back();
    eventfd_t rung = 0;
    ::eventfd_read(bell_, &rung);
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
      for (std::unique_ptr<Connection>& one : new_) {
        sockets.push_back({one->socket(), POLLIN, POLLIN});
        waiting.push_back(std::move(one));
      }
      new_.clear();
    }
    const auto now = Connection::Clock::now();
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      using Step = Connection::Step;
      const Step step = sockets[i].revents != 0 ? waiting[i]->advance() : Step::wants_to_read;
      if (step == Step::ready)
        asked_(std::move(waiting[i]));
      else if (step == Step::over || waiting[i]->deadline() < now)
        waiting[i].reset();
      else if (sockets[i].revents != 0)
        sockets[i].events = step == Step::wants_to_read ? POLLIN : POLLOUT;
      if (!waiting[i]) sockets[i].fd = -1;
    }
    std::erase(waiting, nullptr);
    std::erase_if(sockets, [](const pollfd& one) { return one.fd < 0; });
    if (waiting.size() <= most_) continue;
    const auto too_many = static_cast<std::ptrdiff_t>(waiting.size() - most_);
    waiting.erase(waiting.begin(), waiting.begin() + too_many);
    sockets.erase(sockets.begin(), sockets.begin() + too_many);
  }
}

}  // namespace server
