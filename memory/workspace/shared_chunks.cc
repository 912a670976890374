#include "memory/workspace/shared_chunks.h"

#include <algorithm>
#include <map>

namespace memory {

namespace {

constexpr std::size_t least_piece = 256, least_bytes = 64, pieces = 16;
constexpr std::uint64_t base = 0x9e3779b97f4a7c15u | 1u;

std::uint64_t value_of(char c) {
  return static_cast<unsigned char>(c) + 1u;
}

/// Modulo 2^64.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0;
  for (const char c : text) hash = hash * base + value_of(c);
  return hash;
}

}  // namespace

SharedChunks::SharedChunks(std::string bytes) : bytes_(std::move(bytes)) {
  if (bytes_.size() < least_bytes) return;
  piece_ = std::min(bytes_.size(), std::max(least_piece, bytes_.size() / pieces));
  // Any piece contains one of these blocks completely.
  block_ = piece_ / 2;
  for (std::size_t at = 0; at + block_ <= bytes_.size(); at += block_)
    blocks_.emplace(hash_of(std::string_view(bytes_).substr(at, block_)), at);
}

double SharedChunks::share_in(std::string_view other) const {
  if (block_ == 0 || other.size() < piece_) return 0;
  std::uint64_t out = 1;
  for (std::size_t i = 1; i < block_; ++i) out *= base;
  std::map<std::size_t, std::size_t> found;  // Ranges of `bytes_`: from → to.
  std::uint64_t hash = hash_of(other.substr(0, block_));
  for (std::size_t at = 0;;) {
    std::size_t next = at + 1;
    if (const auto block = blocks_.find(hash); block != blocks_.end()) {
      std::size_t from = block->second, to = from, begin = at, end = at;
      while (to < bytes_.size() && end < other.size() && bytes_[to] == other[end]) ++to, ++end;
      while (from > 0 && begin > 0 && bytes_[from - 1] == other[begin - 1]) --from, --begin;
      if (to - from >= piece_) {
        found[from] = std::max(found[from], to);
        next = std::max(next, end);
      }
    }
    if (next + block_ > other.size()) break;
    if (next == at + 1)
      hash = (hash - value_of(other[at]) * out) * base + value_of(other[at + block_]);
    else
      hash = hash_of(other.substr(next, block_));
    at = next;
  }
  std::size_t covered = 0, done = 0;
  for (const auto& [from, to] : found) {
    if (to <= done) continue;
    covered += to - std::max(from, done);
    done = to;
  }
  return static_cast<double>(covered) / static_cast<double>(bytes_.size());
}

}  // namespace memory
