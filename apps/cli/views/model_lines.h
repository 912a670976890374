#pragma once
// The models of a ledger for a person to read, one line for each model in each role. Pure text from the ledger's JSON.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace cli {

/// "hypothesis, small: 12 calls, 340000 tokens in (81 % from the cache), 9000 out, $1.23", for an entry of `models`.
std::string model_line(const nlohmann::json& use);

/// "gpt-x-2026-01-01, tier default, fingerprint fp_1, effort high: 12 calls", for each of the entry's `answers`.
std::vector<std::string> answer_lines(const nlohmann::json& use);

/// The entries of several ledgers, added up by role and model, in the order of first use. An entry has `studies`, the
/// number of ledgers that it is in, and no `answers`.
nlohmann::json summed_models(const std::vector<nlohmann::json>& ledgers);

}  // namespace cli
