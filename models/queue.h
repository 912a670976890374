#pragma once
// Who may ask next: one model's requests in their order, within its limits per minute and at once. Pure: time is given,
// in seconds. Nothing of HTTP.

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>

namespace models {

/// Of one model at its provider; none: no limit.
struct RateLimits {
  std::optional<int> at_once;
  std::optional<double> requests_per_minute, tokens_per_minute;
};

/// Who waits for the answer.
enum class Urgency { person, critical, background };

class Queue {
 public:
  explicit Queue(RateLimits limits) : limits_(limits) {}

  void add(std::uint64_t request, Urgency, std::int64_t tokens, double now);
  /// One that waits no longer; whether it waited.
  bool drop(std::uint64_t request);
  /// The next that may be sent now, which then counts as sent.
  std::optional<std::uint64_t> next(double now);
  /// One that was sent has ended and took so many tokens instead of those that were expected.
  void ended(std::int64_t expected, std::int64_t taken, double now);
  /// The provider asks to be left alone until then.
  void hold_until(double then) { held_until_ = then > held_until_ ? then : held_until_; }
  /// When `next` may answer something; none: nothing waits, or only an end can help.
  std::optional<double> next_chance(double now);
  std::size_t waiting() const { return waiting_.size(); }

 private:
  /// An allowance that refills evenly and holds a minute's worth at most (the generic cell rate algorithm, ITU-T
  /// I.371).
  struct Bucket {
    std::optional<double> per_minute;
    double left = 0, at = 0;
    bool started = false;
    void refill(double now);
    /// What is larger than a whole bucket goes when it is full.
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
