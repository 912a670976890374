#pragma once
// Whether a text may stand in a write-up: every number bound, every citation known, every direction shown by a verdict,
// nothing hidden. Knows of the study only what Facts say. Pure; any bytes are taken, in time linear in them but for the
// facts.

#include <string_view>
#include <vector>

#include "prose/facts.h"
#include "prose/finding.h"
#include "prose/opaque.h"

namespace prose {

struct Rules {
  Markup markup = Markup::plain;
  bool directions = true;  ///< False: of a text that says what is to be shown, such as a hypothesis.
};

/// In the order of the text. Addresses are taken as they stand: whoever knows the values resolves them.
std::vector<Finding> lint(std::string_view text, const Facts&, const Rules& = {});

}  // namespace prose
