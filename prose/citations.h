#pragma once
// Checks the works that a text cites: `[@key]`, `@key`, `\cite{key, other}`. It refuses citations without a key ("Smith
// et al."), names of authors of another work, and addresses of works that are not listed. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "prose/objection.h"
#include "prose/tokens.h"

namespace prose {

/// The keys that a text cites, in order, known or not.
std::vector<std::string> cited_keys(std::string_view text, Markup);

void find_citations(std::string_view text, const std::vector<Token>&, const Facts&, std::vector<Objection>&);

}  // namespace prose
