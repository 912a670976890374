#pragma once
// The one list of verbs, options and values that the command line is to have and does not have yet. They stand in no
// help, and are refused by name before anything is parsed. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cli {

/// A refusal if the verb itself is not built, or one of `words`, the verb's arguments up to a `--`.
std::optional<kernel::Problem> refuse_not_built(std::string_view verb, std::span<const std::string> words);

}  // namespace cli
