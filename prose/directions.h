#pragma once
// Sentences that say which way something went, or what became of a hypothesis, held against the verdicts. Recognises
// the words of direction_words.cc and the forms that docs/prose.md lists, and nothing else. Pure.

#include <vector>

#include "prose/finding.h"
#include "prose/tokens.h"

namespace prose {

void find_directions(const std::vector<Token>&, const Facts&, std::vector<Finding>&);

/// "H1 is refuted", where it is not.
void find_verdicts(const std::vector<Token>&, const Facts&, std::vector<Finding>&);

/// A hypothesis that a token names: by itself, or by the address of one of its values.
const HypothesisFacts* named_by(const Token&, const Facts&);

/// "not" and the like among the few words before; -1: more than one, so that nobody can tell.
int negated(const std::vector<Token>&, const Sentence&, std::size_t at);
/// One of these stands in the few words before, in the same clause.
bool preceded(const std::vector<Token>&, const Sentence&, std::size_t at, std::size_t most,
              const std::set<std::string, std::less<>>& words);

}  // namespace prose
