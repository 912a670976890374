#pragma once
// Tags, by which people find studies in lists, and a person's change of them. Tags are no evidence: they are in no
// event and in no artifact. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kernel {

inline constexpr std::size_t longest_tag = 64;  ///< In bytes.
inline constexpr std::size_t most_tags = 32;    ///< Of one study.

/// A change of a study's tags, and of whether lists leave the study out.
struct Tagging {
  std::vector<std::string> added, removed;
  std::optional<bool> archived{};  ///< None if it stays as it is.
};

/// A problem unless it is one word of visible characters without commas that begins with neither `+` nor `-`.
std::optional<Problem> wrong_tag(std::string_view tag);
/// The first wrong tag of the change, or a tag that is both added and removed.
std::optional<Problem> wrong_tagging(const Tagging&);

}  // namespace kernel
