#pragma once
// Running an artifact again: what it recorded, made ready to run, and what a second run says about each claim. Trusts
// the artifact in nothing that it can verify, and lets it relax no confinement. Runs nothing itself. Pure but for
// reading files beneath the artifact; any thread.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "kernel/study/state.h"

namespace artifacts {

/// An artifact of ours, verified: the event log's chain leads to its head, registrations have their hashes, the
/// workspace and the study file are the recorded ones.
struct Recorded {
  std::string artifact;    ///< As it was given.
  kernel::StudySpec spec;  ///< What to run again: registered hypotheses and sizes, no smoke run, sandbox, no network.
  kernel::Study study;     ///< As it was recorded.
  std::string head;
  std::string log;                  ///< The event log's bytes.
  std::string text;                 ///< The study file's.
  kernel::ReproductionTerms terms;  ///< What `choose` was told; until then all, on the recorded seeds.
  /// Absolute folder of `study.scoring`, which the evaluator runs from, where the jobs ran other code; else empty.
  std::string scoring;
  std::string set_up_from;  ///< Likewise of the workspace that the environment is set up in.
  /// Versions of the code that were confirmed, without their diffs, and the absolute folders of their code.
  std::vector<std::pair<kernel::CodeVersion, std::string>> versions;
  std::vector<std::string> notes;  ///< What was taken from the artifact's wishes, for people.
};

/// A problem where the folder is no artifact of ours, was changed, or asks for what an artifact may not have.
kernel::Result<Recorded> read_recorded(const std::string& path);

/// What of an artifact its reader wants run again.
struct Choice {
  std::vector<std::string> claims;  ///< Ids; empty: all.
  bool fresh = false;               ///< On seeds that were not used; else on those that were.
  int sample = 0;                   ///< So many runs, drawn by chance; 0: all of them.
  std::uint64_t seed = 0;           ///< The reader's own: which runs are drawn, or which seeds are fresh.
};

/// Fixes the runs: `spec.design.pinned`, or another study seed. A problem names the claim or number that is wrong.
std::optional<kernel::Problem> choose(Recorded&, const Choice&);

/// What the chosen runs took when they were recorded.
struct Forecast {
  int runs = 0;            ///< To be run; those of earlier stages are not counted.
  int of = 0;              ///< That the artifact has as evidence.
  double run_seconds = 0;  ///< One after the other.
  double longest_s = 0;
  double gpu_seconds = 0;

  double wall_s(int jobs) const;  ///< On a machine as fast as that one.
};
Forecast forecast(const Recorded&);
/// "24 of 24 runs, 3 min of run time when recorded: about 1 min with 4 at a time; 0 USD"
std::string to_text(const Forecast&, int jobs);

/// From best to worst.
enum class ClaimOutcome { reproduced, not_attempted, failed_to_run, diverged };
std::string_view name_of(ClaimOutcome);

struct ClaimComparison {
  std::string claim, hypothesis;
  ClaimOutcome outcome = ClaimOutcome::not_attempted;
  std::string reason;  ///< One sentence.
  std::optional<kernel::HypothesisResult> recorded, observed;
  std::string recorded_text, observed_text;  ///< "supported, -97.7 % [-97.8 %, -97.5 %]".
};

struct EnvironmentDifference {
  std::string what, recorded, observed;
};

/// `untold`: nothing says how much it may vary. Nothing that was not run, or is not told, counts as agreement.
enum class RunOutcome { agrees, differs, failed_to_run, untold, not_run };
std::string_view name_of(RunOutcome);

struct ValueComparison {
  std::string metric;
  double recorded = 0, observed = 0;
  std::optional<double> reach;  ///< By how much it may differ; none: it is exactly the same, or nothing tells.
  RunOutcome outcome = RunOutcome::untold;
};

/// One run and its repetition in the same cell, with the same seed.
struct RunComparison {
  std::string recorded, observed;  ///< Ids; `observed` is empty where it was not run.
  kernel::Cell cell;
  std::uint64_t seed = 0;
  std::string experiment;  ///< The recorded one.
  kernel::RunState recorded_state{}, observed_state{};
  RunOutcome outcome = RunOutcome::not_run;
  std::string reason;  ///< Why it does not simply agree.
  std::vector<ValueComparison> values;
};

/// Had this share of the runs been fabricated, so many of them, the chance that the sample holds one.
struct Caught {
  double share = 0;
  int fabricated = 0;
  double chance = 0;
};
struct SampleReport {
  std::uint64_t seed = 0;
  int drawn = 0, of = 0;
  int compared = 0;  ///< Of those drawn: that agree or differ.
  std::vector<Caught> caught;
};

struct ReproductionReport {
  std::string artifact, study;
  std::string recorded_study, recorded_head;
  std::string command;      ///< What was run of an artifact without a registered design; else empty.
  std::string printed;      ///< What that wrote to its standard output.
  std::optional<int> exit;  ///< How that exited; none: it did not by itself.
  ClaimOutcome outcome = ClaimOutcome::not_attempted;  ///< The worst of the claims that were chosen.
  std::vector<ClaimComparison> claims;
  std::vector<EnvironmentDifference> environment;
  kernel::ReproductionTerms terms;
  std::vector<RunComparison> runs;                    ///< None on fresh seeds.
  std::optional<SampleReport> sample;                 ///< None where all was run.
  double recorded_seconds = 0, observed_seconds = 0;  ///< Of run time, of the evidence.

  int count(RunOutcome) const;
  /// The runs as a reader wants them, who may see only the first: those that differ, that failed, that nothing tells
  /// of, that were not run, and those that agree. Point into `runs`.
  std::vector<const RunComparison*> telling_first() const;
  /// "5 of 60 runs agree; had 10 % been fabricated, there was a 42 % chance of catching one"; empty on fresh seeds.
  std::string runs_text() const;
  /// All that was asked for came out as it was recorded.
  bool good() const;
};

/// Of `runs`, `fabricated` are; so many are drawn without putting any back: the chance that at least one of them is
/// among these (hypergeometric). 0 where nothing can be caught.
double chance_of_catching(int runs, int fabricated, int drawn);

/// `again`: the study that ran `recorded.spec`, ended or not. A claim is reproduced when the verdict agrees, or when
/// the difference of the effects lies inside the 99 % prediction interval t·√(se₁² + se₂²), t by Welch and
/// Satterthwaite (Spence and Stanley, "Prediction interval: what to expect when you're expecting a replication", PLoS
/// ONE 11 (2016)); on another processor ratios are compared, never absolute times. Deterministic metrics agree exactly
/// or not at all, an inconclusive claim by being inconclusive again. A sample reaches no verdict: it can only find that
/// runs differ. What an artifact states and its log does not have is a divergence.
ReproductionReport compare(const Recorded&, const kernel::Study& again);
/// The same from a log's bytes, for `again.reproduction` names it. A problem where they are no log, or another one.
kernel::Result<ReproductionReport> compare(const std::string& log, const kernel::Study& again);

/// Each run's values with those of its repetition. A value agrees if it is the same, or, unless its metric is declared
/// deterministic, differs by no more than two runs of its cell do: t·s·√2, s of the other recorded runs of the cell, at
/// 99 % over all values together. On another machine values are first divided by the median ratio of all runs.
std::vector<RunComparison> compare_runs(const kernel::Study& recorded, const kernel::Study& again, bool other_machine);

/// What the artifact's tables of runs state and its log does not have, and runs whose seeds were not registered.
class SafeRoot;
std::vector<kernel::Untrue> untrue_in(const SafeRoot&, const nlohmann::json& seal, const kernel::Study&);

/// The contract's `reproduce` shape, and more.
nlohmann::json to_json(const ReproductionReport&);
std::string to_text(const ReproductionReport&);
/// A page for people; `etude.json` of the artifact that it lies in seals it.
std::string to_markdown(const ReproductionReport&);

}  // namespace artifacts
