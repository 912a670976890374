#pragma once
// Splits a text into lines, and finds the lines that two texts share, in order. Pure; the work is bounded.

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace kernel {

using Lines = std::vector<std::string_view>;
/// Lines without their ends, borrowing the text. A line end at the end of the text starts no further line.
Lines lines_of(std::string_view text);

using LinePairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// The positions in `a` and `b` of the lines that stay, in order; none if more than a thousand lines differ.
/// Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986).
std::optional<LinePairs> kept_lines(const Lines& a, const Lines& b, bool (*same)(std::string_view, std::string_view));

}  // namespace kernel
