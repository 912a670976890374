#pragma once
// The list of planned verbs, options and values that do not exist yet. No help shows them, and they are refused by name
// before anything is parsed. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cli {

/// A refusal if the verb is not built, or one of `words`, its arguments up to a `--`.
std::optional<kernel::Problem> refuse_not_built(std::string_view verb, std::span<const std::string> words);

}  // namespace cli
