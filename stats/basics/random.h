#pragma once
// Random numbers that are the same on every platform and for every compiler, for resampling and simulation. Not for
// secrets. A generator is a value, owned by its user.

#include <array>
#include <cstdint>

namespace stats {

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: one step of SplitMix64.
std::uint64_t splitmix64(std::uint64_t& state);

/// xoshiro256**: Blackman & Vigna, "Scrambled linear pseudorandom number generators", ACM Trans. Math. Softw. 47
/// (2021), seeded by SplitMix64 as they advise.
class Xoshiro {
 public:
  explicit Xoshiro(std::uint64_t seed);
  std::uint64_t next();
  /// 0 … n − 1 for n < 2^32, from the high 32 bits: ⌊bits·n / 2^32⌋. n ≥ 1.
  std::uint32_t below(std::uint32_t n);
  /// In (0, 1): (the high 53 bits + ½) / 2^53.
  double uniform();
  /// Standard normal by inversion of `uniform`.
  double normal();

 private:
  std::array<std::uint64_t, 4> s_;
};

}  // namespace stats
