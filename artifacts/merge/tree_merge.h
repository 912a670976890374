#pragma once
// Merges an exploration tree with the version that both sides come from: node by node by their ids, and within a node
// key by key. Entries that both sides add to a list are all kept. What nobody changed keeps the bytes of `ours`. Trees
// that cannot be merged so are merged as lines. Pure.

#include <string_view>

#include "artifacts/merge/page_merge.h"

namespace artifacts {

/// `base` may be empty.
MergedPage merge_tree(std::string_view base, std::string_view ours, std::string_view theirs, AtConflict at_conflict);

}  // namespace artifacts
