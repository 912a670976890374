#pragma once
// What differs between two texts, as `diff -u` writes it and unified_diff.h reads it. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace agents {

/// With three lines of context; none of them: the file is not there. Of what is no text only that it differs. Empty
/// where nothing does. Where the texts have next to nothing in common, all of one for all of the other.
std::string diff_of(const std::string& path, const std::optional<std::string>& before,
                    const std::optional<std::string>& after);

}  // namespace agents
