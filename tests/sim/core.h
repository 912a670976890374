#pragma once
// What all parts of a simulation share: chance from one seed, virtual time, what happens later, and the trace. One
// thread; nothing waits and nothing reads a real clock.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "kernel/design/seeds.h"

namespace sim {

/// A promise of the program that did not hold. It ends the simulation.
struct Violation : std::runtime_error {
  Violation(std::string what_was_promised, const std::string& what)
      : std::runtime_error(what_was_promised + ": " + what), promise(std::move(what_was_promised)) {}
  std::string promise;
};

template <typename... Values>
[[noreturn]] void broken(const char* promise, fmt::format_string<Values...> how, Values&&... values) {
  throw Violation(promise, fmt::format(how, std::forward<Values>(values)...));
}

/// The kernel's process ended at once, between two steps.
struct Died {
  std::string where;
};
inline constexpr const char* store_that_fails = "at a store that fails";

/// A number that follows from the text, the same in every kernel.
inline std::uint64_t lot(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return kernel::SplitMix{hash}.next();
}

/// Numbers that follow from a seed, the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_{seed * 0x9e3779b97f4a7c15 + 0x51ed270b} {}

  std::uint64_t bits() { return random_.next(); }
  /// From 0 to n - 1.
  int below(int n) { return static_cast<int>(random_.below(static_cast<std::size_t>(n))); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(double share) { return static_cast<double>(bits() >> 11) * 0x1p-53 < share; }
  /// From 1 to about 2^most; each power of two is as likely.
  std::int64_t spread(int most) { return 1 + below(1 << between(0, most)); }
  template <typename List>
  auto& one_of(List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }

 private:
  kernel::SplitMix random_;
};

/// The wall clock may be set by anybody; the boot clock begins anew with each boot.
class VirtualClock : public kernel::Clock {
 public:
  kernel::Time now() const override {
    return {1'700'000'000'000 + uptime_ms + wall_jump_ms, uptime_ms - booted_ms + 1000};
  }
  std::string boot_id() const override { return fmt::format("boot-{}", boots); }
  void reboot() {
    booted_ms = uptime_ms;
    ++boots;
  }

  std::int64_t uptime_ms = 0;  ///< Since the simulation began; never jumps.
  std::int64_t booted_ms = 0, wall_jump_ms = 0;
  std::int64_t idle_ms = 0;  ///< Of the uptime: without a kernel.
  int boots = 1;
};

class Core {
 public:
  Core(std::uint64_t seed, bool tracing) : dice(seed), tracing_(tracing) {}

  /// Something happens after so many milliseconds.
  void later(std::int64_t ms, std::function<void()> what) {
    pending_.emplace(std::pair(clock.uptime_ms + ms, ++order_), std::move(what));
  }
  /// Lets the next thing happen, at its time. Returns false if there is none.
  bool step();
  /// When the next thing happens; none if there is none.
  std::optional<std::int64_t> next_at() const {
    return pending_.empty() ? std::nullopt : std::optional(pending_.begin()->first.first);
  }

  /// A line of the trace. Every line counts in the digest, shown or not.
  template <typename... Values>
  void note(fmt::format_string<Values...> how, Values&&... values) {
    write(fmt::format(how, std::forward<Values>(values)...));
  }
  std::uint64_t digest() const { return digest_; }
  int steps() const { return steps_; }

  Dice dice;
  VirtualClock clock;
  int most_steps = 60'000;  ///< More are a simulation that does not end.

 private:
  void write(std::string_view line);

  const bool tracing_;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> pending_;
  std::uint64_t order_ = 0, digest_ = 0xcbf29ce484222325;
  int steps_ = 0;
};

}  // namespace sim
