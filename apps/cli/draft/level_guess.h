#pragma once
// From the value that an option has on a command line to levels worth comparing with it: sensible neighbours of a
// number, the other choices of a word. Pure; a draft for a person to edit.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// The number as it is spelled, between neighbours in the same style: one decade either way where the name is one that
/// people vary by decades (`lr`, `weight_decay`), half and twice otherwise, inside (0, 1) for fractions. Integers stay
/// integers. Only the value itself where it has no neighbours (0, or no number).
std::vector<std::string> numeric_levels(std::string_view name, const std::string& value);

/// The value first, then the other choices, at most five in all.
std::vector<std::string> word_levels(const std::string& value, const std::vector<std::string>& choices);

/// An option that runs are seldom compared by: how long, how many workers, how often to log.
bool is_housekeeping(std::string_view name);
/// An option that takes the random seed.
bool is_seed(std::string_view name);

}  // namespace cli
