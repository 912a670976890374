#pragma once
// A search as JSON, for `plan --json`, `show --json` and the HTTP API. Include only at a codec boundary.

#include <nlohmann/json_fwd.hpp>

#include "kernel/study/state.h"

namespace kernel {

/// The plan of a search: design, resolution, generators, aliases, rungs, confirmation and rule.
nlohmann::json search_plan_shape(const SearchPlan&);
/// The plan's shape with its hash and every ranked rung; null if there is no search.
nlohmann::json search_shape(const Study&);
/// Rounds, steps and versions of a search over code, without measured values.
nlohmann::json code_shape(const Study&);

}  // namespace kernel
