#include "stats/basics/random.h"

#include <bit>

#include "base/assert.h"
#include "stats/basics/distributions.h"

namespace stats {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Xoshiro::Xoshiro(std::uint64_t seed) : s_{} {
  for (std::uint64_t& word : s_) word = splitmix64(seed);
}

std::uint64_t Xoshiro::next() {
  const std::uint64_t result = std::rotl(s_[1] * 5, 7) * 9;
  const std::uint64_t t = s_[1] << 17;
  s_[2] ^= s_[0];
  s_[3] ^= s_[1];
  s_[1] ^= s_[2];
  s_[0] ^= s_[3];
  s_[2] ^= t;
  s_[3] = std::rotl(s_[3], 45);
  return result;
}

std::uint32_t Xoshiro::below(std::uint32_t n) {
  ETUDE_ASSERT(n > 0);
  return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
}

double Xoshiro::uniform() {
  return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53;
}

double Xoshiro::normal() {
  return normal_quantile(uniform());
}

}  // namespace stats
