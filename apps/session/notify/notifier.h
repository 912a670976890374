#pragma once
// Tells the receivers of the configuration about studies, on a thread of its own: a slow or failing receiver neither
// delays nor fails a study. The kernel's thread hands messages over; the owner ends it after the kernel.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/session/notify/notice.h"
#include "base/redact.h"
#include "config/notify_settings.h"

namespace session {

/// Sends one message to one receiver. Returns why that failed; empty if it did not.
std::string send(const config::Notify&, const nlohmann::json& facts, std::chrono::milliseconds limit,
                 const std::map<std::string, std::string>& environment);

class Notifier {
 public:
  /// `config`: the path of --config; empty for the default. `failed` gets a sentence about each failure, on any thread.
  Notifier(std::string config, std::string home, std::function<void(const std::string&)> failed)
      : config_(std::move(config)), home_(std::move(home)), failed_(std::move(failed)) {}
  /// As `finish`.
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  /// To be called once, before the first event. Reads the configuration; if that cannot be read, nobody is told
  /// anything.
  void start();
  /// Any thread; does not wait. For events that are durable.
  void committed(const kernel::Event&, const kernel::Study& after);
  /// Any thread; does not wait. The place where jobs run does not answer, for this reason.
  void jobs_wait(const std::string& why);
  /// Waits until the messages so far are sent or have failed: each at most for its receiver's time-out, and all
  /// together at most for `patience`.
  void finish();

  static constexpr std::chrono::seconds patience{60};

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::size_t receiver;
    nlohmann::json facts;
  };

  void tell(Notice);
  void work();
  std::chrono::milliseconds limit_for(const config::Notify&);

  const std::string config_, home_;
  const std::function<void(const std::string&)> failed_;
  std::vector<config::Notify> receivers_;
  std::map<std::string, std::string> environment_;
  kernel::Redactor redact_;
  std::mutex mutex_;  ///< Guards the members below.
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::optional<Clock::time_point> ends_;  ///< Set by `finish`.
  std::thread thread_;
};

}  // namespace session
