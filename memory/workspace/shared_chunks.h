#pragma once
// Whether the bytes of one file stand in another, in long pieces: a copy that was changed here and there is one.
// Thread-safe; pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memory {

class SharedChunks {
 public:
  /// `bytes`: what is looked for.
  explicit SharedChunks(std::string bytes);

  /// How much of it stands in `other`, from 0 to 1, in pieces of a sixteenth of it or more and of at least 256 bytes;
  /// of fewer bytes than that only the whole counts, and of fewer than 64 nothing does, for anything may hold those.
  /// Takes time in proportion to `other`: blocks of half a piece are known by a rolling hash (Karp and Rabin,
  /// "Efficient randomized pattern-matching algorithms", IBM Journal of Research and Development 31 (1987)), and what
  /// is found is compared byte by byte.
  double share_in(std::string_view other) const;

 private:
  std::string bytes_;
  std::size_t piece_ = 0, block_ = 0;  ///< 0: nothing counts.
  std::unordered_map<std::uint64_t, std::size_t> blocks_;
};

}  // namespace memory
