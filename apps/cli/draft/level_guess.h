#pragma once
// What the name of an option says about it, and levels to compare with its value: sensible neighbours of a number, the
// other choices of a word. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// The number as written, between two neighbours in the same style. They are a factor of ten away for names that people
/// vary by decades (`lr`, `actor_learning_rate`, `weight_decay`), else a factor of two, and inside (0, 1) for
/// fractions. Integers stay integers. Only the value itself if it has no neighbours (0, or no number).
std::vector<std::string> numeric_levels(std::string_view name, const std::string& value);

/// The value first, then the other choices, at most five in all.
std::vector<std::string> word_levels(const std::string& value, const std::vector<std::string>& choices);

/// Whether runs are rarely compared by the option: duration, number of workers, how often results are logged.
bool is_housekeeping(std::string_view name);
/// Orders names by how often people vary them: learning rates, fractions, sizes of batches and models, the rest.
int rarity(std::string_view name);
/// Whether the option takes the random seed.
bool is_seed(std::string_view name);

}  // namespace cli
