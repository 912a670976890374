#pragma once
// Writes the difference of two texts as `diff -u` does; unified_diff.h reads it. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace agents {

/// With three lines of context; nullopt is a file that does not exist. Binary files only differ or not. Empty if
/// nothing differs. If the texts have almost nothing in common, one replaces the other as a whole.
std::string diff_of(const std::string& path, const std::optional<std::string>& before,
                    const std::optional<std::string>& after);

}  // namespace agents
