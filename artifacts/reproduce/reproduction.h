#pragma once
// Runs an artifact again: prepares what it recorded, and compares a second run claim by claim. It verifies the artifact
// where it can, and the artifact cannot relax the confinement. Runs nothing itself. Pure except for reading files below
// the artifact; any thread.

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "kernel/study/state.h"

namespace artifacts {

/// An artifact of etude, verified: the event log's chain ends at its head, registrations have their hashes, and the
/// workspace and the study file are the recorded ones.
struct Recorded {
  std::string artifact;  ///< The path as given.
  kernel::StudySpec
      spec;  ///< The study to run: registered hypotheses and sizes, no smoke run, in a sandbox without network.
  kernel::Study study;  ///< The recorded study.
  std::string head;
  std::string log;                  ///< The event log's bytes.
  std::string text;                 ///< The bytes of the study file.
  kernel::ReproductionTerms terms;  ///< Set by `choose`; before that all claims, on the recorded seeds.
  /// Absolute folder of the evaluator's workspace (`study.scoring`), if it differs from the jobs' workspace; else
  /// empty.
  std::string scoring;
  std::string set_up_from;  ///< The same for the workspace in which the environment is set up.
  /// Confirmed versions of the code, without their diffs, and the absolute folders of their code.
  std::vector<std::pair<kernel::CodeVersion, std::string>> versions;
  std::vector<std::string> notes;  ///< Settings of the artifact that were ignored, for people.
  std::set<std::string> imports;   ///< The modules that its Python code imports.
};

/// A problem if the folder is no artifact of etude, was changed, or asks for something that an artifact must not have.
kernel::Result<Recorded> read_recorded(const std::string& path);

/// The part of an artifact that the reader wants to run again.
struct ReproductionChoice {
  std::vector<std::string> claims;  ///< Ids; all claims if empty.
  bool fresh = false;               ///< Uses new seeds instead of the recorded ones.
  int sample = 0;                   ///< Number of runs to draw at random; 0 for all runs.
  std::uint64_t seed = 0;  ///< The reader's seed, which decides which runs are drawn, or which new seeds are used.
};

/// Fixes the runs: sets `spec.design.pinned`, or another study seed. A problem names the wrong claim or number.
std::optional<kernel::Problem> choose(Recorded&, const ReproductionChoice&);

/// The recorded cost of the chosen runs.
struct ReproductionCost {
  int runs = 0;            ///< Number of runs, without those of earlier stages.
  int of = 0;              ///< Number of runs in the artifact's evidence.
  double run_seconds = 0;  ///< Sum of their durations.
  double longest_s = 0;
  double gpu_seconds = 0;

  double wall_s(int jobs) const;  ///< On an equally fast machine.
};
ReproductionCost forecast(const Recorded&);
/// "24 of 24 runs, 3 min of run time when recorded: about 1 min with 4 at a time; 0 USD"
std::string to_text(const ReproductionCost&, int jobs);

/// From best to worst. `replicated`: on fresh seeds; of pages in wording 1 these are `reproduced`, too.
enum class ClaimOutcome { reproduced, replicated, not_attempted, failed_to_run, diverged };
std::string_view name_of(ClaimOutcome);

struct ClaimComparison {
  std::string claim;
  kernel::HypothesisId hypothesis;
  ClaimOutcome outcome = ClaimOutcome::not_attempted;
  std::string reason;  ///< One sentence.
  std::optional<kernel::HypothesisResult> recorded, observed;
  std::string recorded_text, observed_text;  ///< Such as "supported, -97.7 % [-97.8 %, -97.5 %]".
};

struct EnvironmentDifference {
  std::string what, recorded, observed;
  bool of_inputs = false;  ///< Other code or other data; then the comparison means nothing.
  std::string library{};   ///< Its name, if it is one.
};

/// `undecidable`: the record does not say how much the value may vary. `undecidable` and `not_run` never count as
/// agreement.
enum class RunOutcome { agrees, differs, failed_to_run, undecidable, not_run };
std::string_view name_of(RunOutcome);

struct ValueComparison {
  std::string metric;
  double recorded = 0, observed = 0;
  std::optional<double>
      reach;  ///< The largest difference that agrees; none if values must be equal, or if it is unknown.
  RunOutcome outcome = RunOutcome::undecidable;
};

/// A run and its repetition in the same cell with the same seed.
struct RunComparison {
  std::string recorded, observed;  ///< Ids; `observed` is empty if the run was not repeated.
  kernel::Cell cell;
  std::uint64_t seed = 0;
  kernel::ExperimentId experiment;  ///< The recorded experiment.
  kernel::RunState recorded_state{}, observed_state{};
  RunOutcome outcome = RunOutcome::not_run;
  std::string reason;  ///< Why it does not agree.
  std::vector<ValueComparison> values;
};

/// The chance that the sample contains a fabricated run, if this share of the runs had been fabricated.
struct Caught {
  double share = 0;
  int fabricated = 0;
  double chance = 0;
};
struct SampleReport {
  std::uint64_t seed = 0;
  int drawn = 0, of = 0;
  int compared = 0;  ///< Number of drawn runs that agree or differ.
  std::vector<Caught> caught;
};

struct ReproductionReport {
  std::string artifact, study;
  std::string recorded_study, recorded_head;
  std::string command;      ///< The command that was run, for an artifact without a registered design; else empty.
  std::string printed;      ///< The command's standard output.
  std::optional<int> exit;  ///< Its exit status; none if it was killed.
  ClaimOutcome outcome = ClaimOutcome::not_attempted;  ///< The worst outcome of the chosen claims.
  std::vector<ClaimComparison> claims;
  std::vector<EnvironmentDifference> environment;
  /// The modules that the code imports; none if they are not known.
  std::optional<std::set<std::string>> imports;
  kernel::ReproductionTerms terms;
  std::vector<RunComparison> runs;                    ///< Empty on fresh seeds.
  std::optional<SampleReport> sample;                 ///< None if all runs were repeated.
  double recorded_seconds = 0, observed_seconds = 0;  ///< Sum of run times of the evidence.

  int count(RunOutcome) const;
  /// The runs with the most important first: those that differ, that failed, that are undecidable, that were not run,
  /// and those that agree. Pointers into `runs`.
  std::vector<const RunComparison*> telling_first() const;
  /// Such as "5 of 60 runs agree; if 6 of 60 were fabricated, the sample had a chance of 42 % to contain one"; empty on
  /// fresh seeds.
  std::string runs_text() const;
  /// Whether everything that was chosen was reproduced.
  bool good() const;
};

/// The chance that a sample of `drawn` runs, drawn without replacement, contains at least one of the `fabricated` ones
/// among `runs` (hypergeometric). 0 if there are none.
double chance_of_catching(int runs, int fabricated, int drawn);

/// Compares with `again`, a study that ran `recorded.spec`, ended or not. A claim is reproduced if the verdict agrees,
/// or if the difference of the effects lies inside the 99 % prediction interval t·√(se₁² + se₂²), t by Welch and
/// Satterthwaite (Spence and Stanley, "Prediction interval: what to expect when you're expecting a replication", PLoS
/// ONE 11 (2016)). On another processor it compares ratios, never absolute times. Deterministic metrics must be equal;
/// an inconclusive claim must be inconclusive again. A sample gives no verdict, it only shows that runs differ. Values
/// that the artifact states and its log does not have are a divergence.
ReproductionReport compare(const Recorded&, const kernel::Study& again);
/// The same from the bytes of the log that `again.reproduction` names. A problem if it is no log, or another one.
kernel::Result<ReproductionReport> compare(const std::string& log, const kernel::Study& again);

/// Compares each run's values with those of its repetition. A value agrees if it is equal or, unless its metric is
/// deterministic, differs by at most t·s·√2. Here s is the standard deviation of the other recorded runs of the cell,
/// and t is for 99 % over all values together. On another machine values are first divided by the median ratio of all
/// runs.
std::vector<RunComparison> compare_runs(const kernel::Study& recorded, const kernel::Study& again, bool other_machine);

/// Values in the artifact's tables of runs that differ from its log, and runs whose seeds were not registered.
class SafeRoot;
std::vector<kernel::Untrue> untrue_in(const SafeRoot&, const nlohmann::json& seal, const kernel::Study&);

/// The result of `reproduce --json`, and more.
nlohmann::json to_json(const ReproductionReport&);
/// For a terminal: the claims, the answer in one line, then what differed. Libraries that the code does not import are
/// counted.
std::string to_text(const ReproductionReport&);
/// A page for people; the artifact's `etude.json` has its hash.
std::string to_markdown(const ReproductionReport&);

}  // namespace artifacts
