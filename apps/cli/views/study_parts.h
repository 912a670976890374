#pragma once
// What the short and the long view of a study both show, from the study's JSON.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/views/text_page.h"

namespace cli {

/// Title and question, then the warnings that concern all results.
void put_question(const nlohmann::json& study, TextPage&);
/// State, what it waits for, and the command that goes on.
void put_state(const nlohmann::json& study, TextPage&);
/// Requirements that no reviewer has confirmed, for which the study waits.
void put_requirements(const nlohmann::json& study, TextPage&);
/// The last notes, decisions and dead ends of people.
void put_remarks(const nlohmann::json& study, TextPage&);

/// `running`, `stopped` if it should run but no process works on it, `paused (budget)`, or how it ended.
std::string state_text(const nlohmann::json& study);
/// "night lr-sweep (archived)"; empty without tags.
std::string tags_text(const nlohmann::json& study);
/// "17: 16 succeeded, 1 failed; 5 are not evidence (smoke, pilot, A/A, repeats, scratch)", of a study's `runs`.
std::string runs_text(const nlohmann::json& runs);
/// "2026-11-20 12:17 UTC" of an ISO 8601 time.
std::string when(const nlohmann::json& time);
/// The unit of the hypothesis's metric; empty if the effect has none.
std::string unit_of(const nlohmann::json& study, const nlohmann::json& hypothesis);
/// "supported", "refuted", "inconclusive"; "withdrawn"; "open" without a verdict.
std::string verdict_of(const nlohmann::json& hypothesis);
/// "H1  ✓ supported  ", painted.
std::string verdict_head(const nlohmann::json& hypothesis, bool colour);

}  // namespace cli
