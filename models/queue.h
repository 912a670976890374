#pragma once
// The order of requests to one model, within its limits per minute and of parallel requests. Pure: time is a parameter,
// in seconds. Knows nothing of HTTP.

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>

namespace models {

/// The limits of one model at its provider; none for no limit.
struct RateLimits {
  std::optional<int> at_once;
  std::optional<double> requests_per_minute, tokens_per_minute;
};

/// What waits for the answer.
enum class Urgency { person, critical, background };

class Queue {
 public:
  explicit Queue(RateLimits limits) : limits_(limits) {}

  void add(std::uint64_t request, Urgency, std::int64_t tokens, double now);
  /// Removes a waiting request; returns whether it was waiting.
  bool drop(std::uint64_t request);
  /// The next request that may be sent now; it then counts as sent.
  std::optional<std::uint64_t> next(double now);
  /// Reports the end of a sent request, which took `taken` tokens instead of `expected`.
  void ended(std::int64_t expected, std::int64_t taken, double now);
  /// Sends nothing before `then`, as the provider asks.
  void hold_until(double then) { held_until_ = then > held_until_ ? then : held_until_; }
  /// When `next` may return a request; none if nothing waits or only an end can help.
  std::optional<double> next_chance(double now);
  std::size_t waiting() const { return waiting_.size(); }

 private:
  /// An allowance that refills evenly and holds at most a minute's worth (the generic cell rate algorithm, ITU-T
  /// I.371).
  struct Bucket {
    std::optional<double> per_minute;
    double left = 0, at = 0;
    bool started = false;
    void refill(double now);
    /// An amount larger than the bucket has to wait until it is full.
    double wait(double amount) const;
  };
  using Entry = std::tuple<double, std::uint64_t, std::int64_t>;  ///< Rank, request, tokens.

  RateLimits limits_;
  std::set<Entry> waiting_;
  Bucket requests_{limits_.requests_per_minute}, tokens_{limits_.tokens_per_minute};
  int sent_ = 0;
  double held_until_ = 0;
};

}  // namespace models
