#pragma once
// What `etude try` does, on the command line and over HTTP: one run outside every study, its measured values, and what
// they propose for the study file. Nothing of it is evidence or part of a study.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/session/collect/measured_run.h"
#include "apps/session/home/home.h"
#include "apps/session/try/printed_numbers.h"
#include "base/redact.h"
#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/job_spec.h"
#include "kernel/domain/records.h"
#include "kernel/study/state.h"
#include "memory/store/reader.h"
#include "studyfile/load.h"

namespace session {

/// Where it runs. Borrowed. `own`: the caller's environment variables.
struct TryPlace {
  const HomePaths& home;
  const executors::Backend& backend;
  const executors::Variables& own;
};

/// One job outside every study, ready to run, and what it belongs to. Nobody deletes leftovers of the home meanwhile.
struct TryJob {
  HomeGuest guest;
  kernel::StudySpec spec;
  kernel::Cell cell;
  kernel::Run run;
  kernel::JobSpec job;
  kernel::WorkspaceRecord workspace;
  std::vector<kernel::SealedData> sealed;
  std::vector<kernel::Problem> warnings{};  ///< For the person who asked.
  bool recorded = false;                    ///< It repeats a run of a study.
  bool withheld = false;                    ///< The values that it measures are not shown.
  bool cut_short = false;                   ///< Its time limit is less than that of the recorded run.
};

/// Factors and their levels, as written; factors that are not named have the level of the reference cell.
using Setting = std::vector<std::pair<std::string, std::string>>;

/// A run of the study file with a setting. `named`: what a problem calls the setting, such as "--set ".
kernel::Result<TryJob> try_of_setting(const TryPlace&, studyfile::Parsed, const Setting&, const std::string& named);

/// Whether running it again could show values that are withheld. `run`: as `Withheld` shows it.
bool would_show_withheld(const nlohmann::json& run);
/// A recorded run once more: its code, setting, seed and environment. `run`: as `Withheld` shows it.
kernel::Result<TryJob> try_of_run(const TryPlace&, const memory::Reader&, const nlohmann::json& run);

struct Tried {
  bool good = false;
  std::string reason;  ///< Why it is not good.
  kernel::JobOutcome outcome;
  MeasuredRun measured;
  std::vector<PrintedNumber> proposed{};  ///< If it had no value of the primary metric: metrics that it printed.
  bool proposed_from_err = false;         ///< It printed them to stderr.
  bool kept = true;                       ///< Its time could be kept for `etude plan`.
  /// Whether its output may be shown: it may contain the values of a run that measured any.
  bool is_open(const TryJob& job) const { return !job.withheld || (!good && !broke_guard() && !was_cut_short(job)); }
  bool was_cut_short(const TryJob& job) const { return job.cut_short && outcome.end == kernel::JobEnd::timed_out; }
  bool broke_guard() const { return measured.measured.measurement.verdict == kernel::RunState::invalid; }
};

/// Launches the job in a folder that is deleted afterwards. `run` returns how it ended; if it returns none, so does
/// this.
std::optional<Tried> try_job(const TryPlace&, TryJob&,
                             const std::function<std::optional<kernel::JobOutcome>(const kernel::JobSpec&)>& run);

/// The `resources` of a study file: twice the measured memory and four times the measured time, rounded.
std::string proposed_resources(const kernel::JobOutcome&);

/// The document of `etude try --json`. `redactor`: for the log.
nlohmann::json try_shape(const TryJob&, const Tried&, const kernel::Redactor&);

}  // namespace session
