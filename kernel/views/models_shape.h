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
/// Of every file of answers among the inputs: {"file","sha256","model","answers","tokens","usd"}; `usd` is null if the
/// model had no price.
nlohmann::json paid_answers_shape(const std::vector<PaidAnswers>&);
/// "answers.jsonl: 4 answers of pupil, 120 tokens for $0.12", for each entry of that shape.
std::vector<std::string> paid_answers_words(const nlohmann::json& shape);

/// "asked for gpt-x, gpt-y answered in 3 of 7 calls", one for each other model.
std::vector<std::string> other_models_words(const Ledger&);

/// What `understated_uses` finds, as sentences.
std::vector<std::string> understated_words(const Ledger&, int wording);

}  // namespace kernel
