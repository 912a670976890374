#pragma once
// What the short and the long view of a study both show, from the study's JSON.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/views/text_page.h"
#include "kernel/domain/records.h"

namespace cli {

/// Title and question, then the warnings that concern all results.
void put_question(const nlohmann::json& study, TextPage&);
/// State, what it waits for, and the command that goes on.
void put_state(const nlohmann::json& study, TextPage&);
/// Requirements that no reviewer has confirmed, for which the study waits.
void put_requirements(const nlohmann::json& study, TextPage&);
/// The last notes, decisions and dead ends of people.
void put_remarks(const nlohmann::json& study, TextPage&);

/// No process works on a study that should run; `name_owner` has said so.
bool is_stopped(const nlohmann::json& study);
/// A job of a run in this state may have been alive when the kernel stopped.
bool was_at_work(kernel::RunState);
/// `running`, `stopped` if it should run but no process works on it, `paused (budget)`, or how it ended.
std::string state_text(const nlohmann::json& study);
/// "night lr-sweep (archived)"; empty without tags.
std::string tags_text(const nlohmann::json& study);
/// "17: 16 succeeded, 1 failed; 5 are not evidence (smoke, pilot, A/A, repeats, scratch)". Of a stopped study it says
/// which runs the kernel left: "6: 2 were running when the kernel stopped, 4 queued".
std::string runs_text(const nlohmann::json& study);
/// "about 8 s (7 s to 10 s), 80 runs", of a study's `left`.
std::string left_text(const nlohmann::json& left);
/// Its path, or what has replaced it.
std::string artifact_text(const nlohmann::json& study);
/// "2026-11-20 12:17 UTC" of an ISO 8601 time.
std::string when(const nlohmann::json& time);
/// The unit of the hypothesis's metric; empty if the effect has none.
std::string unit_of(const nlohmann::json& study, const nlohmann::json& hypothesis);
/// "supported", "refuted", "inconclusive"; "withdrawn"; "open" without a verdict.
std::string verdict_of(const nlohmann::json& hypothesis);
/// The warnings of its verdict; empty if it rests on no run, because they are about its evidence.
nlohmann::json cautions_of(const nlohmann::json& hypothesis);
/// "H1  ✓ supported  ", painted.
std::string verdict_head(const nlohmann::json& hypothesis, bool colour);

}  // namespace cli
