#pragma once
// Whether a text may be part of a write-up: every number bound, every citation known, every direction supported by a
// verdict, nothing hidden. Knows of the study only what Facts say. Pure; takes any bytes, in time linear in their
// number.

#include <string_view>
#include <vector>

#include "prose/facts.h"
#include "prose/objection.h"
#include "prose/opaque.h"

namespace prose {

struct Rules {
  Markup markup = Markup::plain;
  bool directions = true;               ///< False for a text that says what is to be shown, such as a hypothesis.
  bool claims = true;                   ///< False for a conjecture, such as a mechanism.
  const HypothesisFacts* of = nullptr;  ///< The hypothesis that the whole text is about; borrowed.
};

/// Findings in the order of the text. Addresses are not resolved here.
std::vector<Objection> lint(std::string_view text, const Facts&, const Rules& = {});

}  // namespace prose
