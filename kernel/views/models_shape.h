#pragma once
// The models of a study's ledger, as users see them: JSON, and sentences where another model answered or a
// provider states too few tokens. Pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernel/study/state.h"

namespace kernel {

/// [{"role","model","calls","tokens_in","tokens_cached","tokens_out","usd":null|number,"answers":[{"asked","effort",
/// "answered_by","tier","fingerprint","calls"}]}], one entry for each model in each role. `usd` is null if the price of
/// a call is not known; what a reply does not state is null. Null if no reply states its origin, as in older logs.
nlohmann::json models_shape(const Ledger&);

/// "asked for gpt-x, gpt-y answered in 3 of 7 calls", one for each other model.
std::vector<std::string> other_models_words(const Ledger&);

/// What `understated_uses` finds, as sentences.
std::vector<std::string> understated_words(const Ledger&, int wording);

}  // namespace kernel
