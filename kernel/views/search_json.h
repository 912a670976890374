#pragma once
// A search as `plan --json`, `show --json` and the HTTP API give it. Include only at a codec boundary.

#include <nlohmann/json_fwd.hpp>

#include "kernel/study/state.h"

namespace kernel {

/// Design, resolution, generators, aliases, rungs and the rule.
nlohmann::json search_plan_shape(const SearchPlan&);
/// The same with its hash, and with every ranked rung; null where there is no search.
nlohmann::json search_shape(const Study&);
/// Rounds, steps and versions of a search over code, without their values.
nlohmann::json code_shape(const Study&);

}  // namespace kernel
