#pragma once
// A study for a person to read: question, results, budget used, the paths of its results, and its runs as rows. Pure
// text from the study's JSON; results that are not open yet are null there and are not shown.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/terminal_text.h"

namespace cli {

/// Sets `owner`: the process that works on a running study, else null.
void name_owner(nlohmann::json& study, std::optional<int> owner);

/// "s1-r3 and 4 more: exit status 1; …", for an entry of the study's `failures`.
std::string failure_text(const nlohmann::json& cause);
/// The command that runs the first failed run once more; empty if none failed.
std::string again_text(const nlohmann::json& study);
/// One screen: what was found, with sizes and warnings, what it needs from a person, and what it cost.
std::string study_summary(const nlohmann::json& study, const Screen&);
/// All that is known of it.
std::string study_text(const nlohmann::json& study, const Screen&);

/// One row per listed study.
std::string study_list(const nlohmann::json& studies, const Screen&);

/// Runs as rows: purpose, outcome, factors, seed, metrics and cost. `study` gives the units of metrics; `runs` is the
/// `run` JSON as `Withheld` returns it. Columns are the factors and metrics that any of the runs has.
std::string run_table(const nlohmann::json& study, const std::vector<nlohmann::json>& runs, const Screen&);

/// How a study ended: verdicts, ledger, chain head, and the paths of report and artifact.
std::string ending_text(const nlohmann::json& study, const Screen&);

/// "p corrected", or "q (FDR)" if the study controls the false discovery rate.
std::string corrected_name(const nlohmann::json& study);

/// The verdicts as `study_summary` shows them: statement, size and reason below each other.
std::string findings_text(const nlohmann::json& study, const Screen&);

/// "−62 %" and "[−64, −61] %" of a hypothesis with a relative effect, else "3.1 s" and "[2.9, 3.3]".
ShownEstimate shown_effect(const nlohmann::json& study, const nlohmann::json& hypothesis);
/// "12/11": the units of treatment and control.
std::string sizes_text(const nlohmann::json& hypothesis);

/// "runs 294 of 400 · wall 41.2 s of 10 min"
std::string ledger_line(const nlohmann::json& study);
/// One line of the ledger: the role, the branch and what was spent.
std::string account_line(const nlohmann::json& account);

}  // namespace cli
