#pragma once
// Where a model is served, and many HTTP exchanges with it at once, over libcurl on a thread of its own. Follows no
// redirects, which would carry the key elsewhere; uses http and https only. Callbacks run on that thread and must be
// quick. The destructor ends exchanges without calling back.

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
#include <utility>
#include <vector>

#include "models/failure.h"

namespace models {

enum class Protocol { openai, responses, anthropic };

/// The header in which the key is sent. `usual`: the protocol's.
enum class KeyStyle { usual, bearer, x_api_key, api_key };

/// In seconds; 0 for no limit.
struct TimeLimits {
  double connect = 10;
  double first_byte = 600;  ///< From the connection to the first byte of the reply, while the model reads the prompt.
  double idle = 300;        ///< Between two bytes of the reply.
  double total = 3600;
};

struct Endpoint {
  Protocol api = Protocol::openai;
  std::string base_url;  ///< http://127.0.0.1:8000/v1, https://api.anthropic.com; a query stays at the end.
  std::string key;       ///< From the environment; empty if none is sent.
  TimeLimits limits{};
  KeyStyle key_style = KeyStyle::usual;
  std::vector<std::pair<std::string, std::string>> headers{};  ///< Further ones, with their values.
};

struct HttpRequest {
  std::string url;
  /// One may contain the key, so they are never shown or stored.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  ///< Of a POST.
  TimeLimits limits{};
  bool get = false;  ///< A GET, without a body; else a POST.
};

/// The service's address without user, password and query, which may be shown.
std::string shown_url(const std::string& url);

/// A reply larger than this is cut off.
inline constexpr std::size_t most_reply_bytes = 16u << 20;

/// How an exchange ended. Without `failure` the whole body came, with any status.
struct HttpEnd {
  int status = 0;
  std::string content_type;
  std::optional<double> retry_after_s;
  std::optional<Failure> failure;
};

struct HttpHandlers {
  /// Takes part of the body. Returns false if that is enough; the exchange then ends as if complete.
  std::function<bool(int status, std::string_view content_type, std::string_view bytes)> on_bytes;
  std::function<void(HttpEnd)> on_end;  ///< Called once.
};

class Http {
 public:
  Http();
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  /// Runs the function on the thread. May be called from any thread.
  void post(std::function<void()>);
  /// Runs the function on the thread after so many seconds. Only on the thread, like the functions below.
  void after(double seconds, std::function<void()>);
  /// Returns the exchange's number, with which it can be cancelled until `on_end` is called.
  std::uint64_t start(HttpRequest, HttpHandlers);
  /// The exchange ends as cancelled, after this call has returned.
  void cancel(std::uint64_t exchange);

  /// Seconds on the monotonic clock.
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
