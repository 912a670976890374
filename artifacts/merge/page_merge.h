#pragma once
// Merges a page of entries (claims, experiments, …) with the version that both sides come from: entry by entry by their
// ids, and within an entry field by field. What nobody changed keeps the bytes of `ours`. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "artifacts/merge/three_way_lines.h"

namespace artifacts {

/// What came from the other side.
struct Taken {
  enum class How { added, changed, deleted };
  std::string address;
  How how = How::added;
};

struct MergedPage {
  std::string text;
  std::vector<Taken> taken;
  std::vector<MergeConflict> conflicts;
};

/// `file`: the page's path, which says what its ids begin with.
MergedPage merge_page(std::string_view base, std::string_view ours, std::string_view theirs, const std::string& file,
                      AtConflict at_conflict);

}  // namespace artifacts
