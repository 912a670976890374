#pragma once
// Whether a file contains the bytes of another one in long pieces, so that a copy with a few changes is found.
// Thread-safe; pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memory {

class SharedChunks {
 public:
  /// `bytes`: the content to search for.
  explicit SharedChunks(std::string bytes);

  /// The share of the bytes that `other` contains, from 0 to 1, in pieces of at least a sixteenth of them and at least
  /// 256 bytes. Below 256 bytes only a complete copy counts, below 64 nothing does. Takes time linear in `other`:
  /// blocks of half a piece are found by a rolling hash (Karp and Rabin, "Efficient randomized pattern-matching
  /// algorithms", IBM Journal of Research and Development 31 (1987)), then compared byte by byte.
  double share_in(std::string_view other) const;

 private:
  std::string bytes_;
  std::size_t piece_ = 0, block_ = 0;  ///< 0 if nothing counts.
  std::unordered_map<std::uint64_t, std::size_t> blocks_;
};

}  // namespace memory
