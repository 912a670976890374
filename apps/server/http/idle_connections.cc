#include "apps/server/http/idle_connections.h"

#include <array>
#include <stdexcept>

#include <httplib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace server {

namespace {

constexpr int between_looks_ms = 500;  // How often deadlines are checked.

}  // namespace

IdleConnections::IdleConnections(std::size_t most, std::function<void(std::unique_ptr<Connection>)> asked)
    : most_(most),
      asked_(std::move(asked)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event{EPOLLIN, {}};
  event.data.fd = bell_;
  if (epoll_ < 0 || bell_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, bell_, &event) != 0)
    throw std::runtime_error("connections cannot be waited for");
  thread_ = std::thread([this] { watch(); });
}

IdleConnections::~IdleConnections() {
  close();
  ::close(epoll_);
  ::close(bell_);
}

void IdleConnections::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  ring();
  if (thread_.joinable()) thread_.join();
  waiting_.clear();
  by_socket_.clear();
}

void IdleConnections::ring() {
  // If the counter is full, the thread has been woken long ago.
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t rung = ::write(bell_, &one, sizeof one);
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
  std::array<epoll_event, 64> events;
  auto looked = Connection::Clock::now();
  for (;;) {
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), between_looks_ms);
    for (int i = 0; i < count; ++i)
      if (const int socket = events[static_cast<std::size_t>(i)].data.fd; socket != bell_) go_on_with(socket);
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
    }
    admit();
    if (Connection::Clock::now() - looked < std::chrono::milliseconds(between_looks_ms)) continue;
    end_late_ones();
    looked = Connection::Clock::now();
  }
}

void IdleConnections::admit() {
  std::uint64_t rung = 0;
  while (::read(bell_, &rung, sizeof rung) > 0) continue;
  std::vector<std::unique_ptr<Connection>> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh.swap(new_);
  }
  for (std::unique_ptr<Connection>& connection : fresh) {
    const int socket = connection->socket();
    epoll_event event{0, {}};
    event.data.fd = socket;
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0) continue;
    waiting_.push_back(std::move(connection));
    by_socket_[socket] = std::prev(waiting_.end());
    go_on_with(socket);
    if (waiting_.size() > most_) remove(waiting_.front()->socket());
  }
}

void IdleConnections::go_on_with(int socket) {
  const auto found = by_socket_.find(socket);
  if (found == by_socket_.end()) return;
  std::unique_ptr<Connection>& connection = *found->second;
  const Connection::Step step = connection->advance();
  if (step == Connection::Step::over) return remove(socket);
  if (step == Connection::Step::ready) {
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    std::unique_ptr<Connection> leaving = std::move(connection);
    remove(socket);
    return asked_(std::move(leaving));
  }
  epoll_event event{step == Connection::Step::wants_to_read ? EPOLLIN : EPOLLOUT, {}};
  event.data.fd = socket;
  if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event) != 0) remove(socket);
}

void IdleConnections::end_late_ones() {
  const auto now = Connection::Clock::now();
  std::vector<int> late;
  for (const std::unique_ptr<Connection>& connection : waiting_)
    if (connection->deadline() < now) late.push_back(connection->socket());
  for (const int socket : late) remove(socket);
}

void IdleConnections::remove(int socket) {
  const auto found = by_socket_.find(socket);
  if (found == by_socket_.end()) return;
  const Waiting::iterator place = found->second;
  by_socket_.erase(found);
  waiting_.erase(place);  // Closes the connection unless it was passed on; epoll forgets closed descriptors.
}

}  // namespace server
