#pragma once
// What a block, or a page of several, must say. Knows no layer.

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "artifacts/model.h"

namespace artifacts {

using FieldNames = std::initializer_list<std::string_view>;  ///< Any of these will do.

/// "**Status**, **Proof**": the first names of those that none of the blocks has; empty where nothing is missing.
inline std::string missing_fields(std::span<const Block> blocks, std::initializer_list<FieldNames> wanted) {
  std::string missing;
  for (const FieldNames& names : wanted) {
    const bool there = std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
      return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return block.field(name); });
    });
    if (!there) missing += fmt::format("{}**{}**", missing.empty() ? "" : ", ", *names.begin());
  }
  return missing;
}

}  // namespace artifacts
