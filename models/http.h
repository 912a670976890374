#pragma once
// Many HTTP exchanges at once on one thread of its own, over libcurl. Follows no redirects, for they would carry the
// key elsewhere; speaks http and https only. Everything it calls runs on that thread and should be quick. Destroying it
// ends what is under way without another word.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "models/endpoint.h"
#include "models/failure.h"

namespace models {

/// A reply larger than this is cut off.
inline constexpr std::size_t most_reply_bytes = 16u << 20;

/// How an exchange ended. Without `failure` the whole body came, whatever the status.
struct HttpEnd {
  int status = 0;
  std::string content_type;
  std::optional<double> retry_after_s;
  std::optional<Failure> failure;
};

struct HttpHandlers {
  /// Some of the body. False: enough, end it here as if it were whole.
  std::function<bool(int status, std::string_view content_type, std::string_view bytes)> on_bytes;
  std::function<void(HttpEnd)> on_end;  ///< Once.
};

class Http {
 public:
  Http();
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  /// Runs it on the thread. From any thread.
  void post(std::function<void()>);
  /// Runs it on the thread, after so many seconds. On the thread only, as are the others below.
  void after(double seconds, std::function<void()>);
  /// Answers the exchange's number, by which it may be cancelled until `on_end` is called.
  std::uint64_t start(const HttpRequest&, HttpHandlers);
  /// It ends as cancelled, and not within this call.
  void cancel(std::uint64_t exchange);

  /// Seconds on the clock that never goes back.
  static double now();

 private:
  class Exchange;
  struct Multi;

  void work();
  void take_posted();
  void run_timers();
  void sweep(double now);
  void collect();
  void end(std::uint64_t id, std::optional<Failure> failure);
  int longest_sleep_ms() const;

  std::unique_ptr<Multi> multi_;
  std::map<std::uint64_t, std::unique_ptr<Exchange>> exchanges_;
  std::multimap<double, std::function<void()>> timers_;
  std::uint64_t last_ = 0;
  double next_sweep_ = 0;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  ///< Guarded by `mutex_`.
  std::atomic<bool> leaving_ = false;
  std::thread thread_;
};

}  // namespace models
