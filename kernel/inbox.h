#pragma once
// The one way into the kernel thread. Any thread posts; the kernel thread alone takes.

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/commands.h"

namespace kernel {

/// Start nothing new; end when what runs has ended.
struct Drain {};
/// End now; jobs go on under their supervisors.
struct Leave {};
/// Something outside the kernel thread broke that the kernel cannot do without (a store that takes no more bytes).
struct Fault {
  std::string what;
};
using Message = std::variant<Command, Drain, Leave, Fault>;

class Inbox {
 public:
  void post(Message message) {
    {
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
    }
    arrived_.notify_one();
  }
  /// Blocks until there is one; takes all there are.
  std::vector<Message> take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !messages_.empty(); });
    return std::exchange(messages_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Message> messages_;
};

}  // namespace kernel
