#pragma once
// How a study ended, for a person: verdicts, ledger, chain head, and the paths of report and artifact.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cli {

/// `study`: the `study` JSON.
std::string ending_text(const nlohmann::json& study);

/// "supported", "refuted", "inconclusive"; "withdrawn"; "open" without a verdict.
std::string verdict_of(const nlohmann::json& hypothesis);

/// "p corrected", or "q (FDR)" if the study controls the false discovery rate.
std::string corrected_name(const nlohmann::json& study);

/// Id, verdict, statement, effect with interval, corrected p, n: one row per hypothesis.
std::string verdict_table(const nlohmann::json& study);

/// "runs 294 of 400 · wall 41.2 s of 10 min"
std::string ledger_line(const nlohmann::json& study);
/// One line of the ledger: the role, the branch and what was spent.
std::string account_line(const nlohmann::json& account);

}  // namespace cli
