#pragma once
// Works that a text cites: `[@key]`, `@key`, `\cite{key, other}`. What is cited without a key ("Smith et al.") cannot
// be bound. Pure.

#include <string_view>
#include <vector>

#include "prose/finding.h"
#include "prose/tokens.h"

namespace prose {

void find_citations(std::string_view text, const std::vector<Token>&, const Facts&, std::vector<Finding>&);

}  // namespace prose
