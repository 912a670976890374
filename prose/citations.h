#pragma once
// Works that a text cites: `[@key]`, `@key`, `\cite{key, other}`. What is cited without a key ("Smith et al.") cannot
// be bound. A name before a citation must not be an author of another one, nor an address be of a work that is not
// listed. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "prose/finding.h"
#include "prose/tokens.h"

namespace prose {

/// The keys that a text cites, in its order, known or not.
std::vector<std::string> cited_keys(std::string_view text, Markup);

void find_citations(std::string_view text, const std::vector<Token>&, const Facts&, std::vector<Finding>&);

}  // namespace prose
