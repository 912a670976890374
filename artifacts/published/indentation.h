#pragma once
// Lines that the published reader refuses and libyaml takes: those of a quoted text, or of a list in brackets, that are
// indented less than what they belong to. PublishedFact by the positions of the values in the text.

#include <string_view>

#include "artifacts/read/yaml_value.h"

namespace artifacts::published {

/// The first such line, or 0. `document`: as parse_yaml(text, first_line) gave it.
int under_indented_line(const YamlValue& document, std::string_view text, int first_line);

}  // namespace artifacts::published
