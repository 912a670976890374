#pragma once
// Finds numbers without support, in digits or in words. A numeral passes only as a constant of the study file with its
// name nearby, as an existing id, or as the number of a section or list item. Pure.

#include <string_view>
#include <vector>

#include "prose/objection.h"
#include "prose/tokens.h"

namespace prose {

void find_numerals(std::string_view text, const std::vector<Token>&, const Facts&, Markup, std::vector<Objection>&);

/// Finds "twice", "three-fold", "two thirds", "an order of magnitude".
void find_number_words(const std::vector<Token>&, const Facts&, std::vector<Objection>&);

/// Whether the number counts what was proposed, as in "I proposed three hypotheses": it is no result.
bool counts_proposals(const std::vector<Token>&, std::size_t at, const Facts&);

/// Whether a name of the constant, whose value is at `at`, is near it.
bool named_nearby(const std::vector<Token>&, std::size_t at, const Constant&, const Facts&);

/// Whether the words multiply, divide or measure the number before them: "times", "%", "fold", "faster".
bool multiplies(const std::vector<Token>&, std::size_t at);
/// Whether the word is "less", "faster" and the like.
bool compares_amounts(const std::vector<Token>&, std::size_t at);

}  // namespace prose
