#pragma once
// Finds what no verdict shows: claims beyond the settings of the study, proofs, and causes. docs/prose.md has the
// words. Only sentences near a hypothesis are read, and those that deny or doubt it are honest. Pure.

#include <vector>

#include "prose/objection.h"
#include "prose/tokens.h"

namespace prose {

/// `of`: the hypothesis that the whole text is about; null if sentences name theirs.
void find_overclaims(const std::vector<Token>&, const Facts&, const HypothesisFacts* of, std::vector<Objection>&);

}  // namespace prose
