#pragma once
// Contents of events: registrations, runs, measurements, verdicts, nodes and claims, as plain values.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/frozen_inputs.h"
#include "kernel/domain/job_spec.h"
#include "kernel/domain/reason.h"
#include "kernel/domain/study_spec.h"

namespace kernel {

/// `aa`: a registered repetition of the control, never evidence. `search`: a run of a screening or an optimisation.
/// `comparison`: a run of original or amended code that compares the two. `repeat`: a smoke run again, among registered
/// runs.
enum class Purpose { registered, smoke, pilot, scratch, aa, search, comparison, repeat };
/// States before `succeeded` are live or waiting; the others are ends.
enum class RunState { queued, starting, running, succeeded, failed, timed_out, invalid, cancelled, lost };
constexpr bool is_end(RunState state) {
  return state >= RunState::succeeded;
}
/// True for ends that a person should look at.
constexpr bool is_bad_end(RunState state) {
  return is_end(state) && state != RunState::succeeded && state != RunState::cancelled;
}
enum class Verdict { supported, refuted, inconclusive, no_relevant_effect };
enum class StudyState { running, paused, ended };
/// Why nothing new starts. `other`: a text that some client of an earlier program gave; `looks`: the test data have
/// been scored as often as they may; `devices`: the GPUs that it needs were not freed in time.
enum class PauseReason { other, person, interrupted, budget, disk, gate, agent, setup, fork, seed, looks, devices };
enum class StudyOutcome { concluded, failed, cancelled };

/// The step of a study; each step waits for one role or for runs.
enum class Phase {
  preparing,  ///< The environment is being set up.
  proposing,
  checking,
  sizing,
  registering,
  measuring,
  analysing,
  concluding,
  cancelling,  ///< Waits for runs that are being killed.
  packaging,
  done,
  searching,  ///< A screening or an optimisation selects hypotheses for the confirmation.
  capturing,  ///< A person works; etude records the work.
};

/// The roles that can do the next step of a study.
enum class Role { hypothesis, experiment, analysis, writeup };

/// A statement of an artifact that its log does not contain.
struct Untrue {
  ExperimentId experiment;  ///< The experiment whose evidence contains it; empty if unknown.
  std::string what;         ///< One sentence without a full stop.
};

/// The artifact that a reproduction repeats, and the part that its reader chose.
struct ReproductionTerms {
  std::string head;                 ///< Head of the chain that the artifact carries.
  BlobRef log;                      ///< The artifact's log.
  std::vector<std::string> claims;  ///< Claims to repeat; empty for all.
  bool fresh = false;               ///< On seeds that the recorded study did not use.
  int sample = 0;                   ///< Number of runs to repeat, drawn at random; 0: the whole design.
  std::uint64_t seed = 0;           ///< The reader's seed, for the sample or for the fresh seeds.
  std::vector<Untrue> untrue;
};

/// A device that a run could have had, and what was free of it, in thousandths.
struct GpuCandidate {
  std::string id;
  int free = 0;
};

/// Resources that one run holds while it is live.
struct Lease {
  int cpus = 0;
  std::int64_t memory_bytes = 0;   ///< 0: the study sets no limit, and no memory is reserved.
  std::vector<std::string> gpus;   ///< Ids of devices.
  std::optional<int> gpu_share{};  ///< Resources::gpu_share
  /// What its processes together, and one of its devices, were expected to take, where the study file does not say; 0:
  /// not known. More than the machine has: the run got all of it.
  std::int64_t forecast_bytes = 0, forecast_gpu_bytes = 0;
  /// The devices that suited, where they were more than the run needed. Those with least free were taken if it needs a
  /// share of one, else the first.
  std::vector<GpuCandidate> candidates{};

  bool empty() const { return cpus == 0; }  ///< In older logs.
  double devices() const { return gpu_share ? *gpu_share / 1000.0 : static_cast<double>(gpus.size()); }
};

/// One planned run, inside RunsQueued.
struct PlannedRun {
  int number = 0;  ///< Counts from 1 within the study; the id is STUDY-rNUMBER.
  int cell = 0;    ///< Index into RunsQueued::cells.
  std::uint64_t seed = 0;
  int replicate = 0;  ///< Counts from 1 within its cell.
  int retry_of = 0;   ///< A run's number; 0 if this is no retry.
  int attempt = 1;
  /// Smoke runs: the changed factor ("seed", "algorithm"); repeats: the smoke run ("r1"); a search: the rung ("rung
  /// 1").
  std::string label;
  std::string stage{};        ///< An earlier stage's name; empty if the run measures.
  std::vector<int> needs{};   ///< Numbers of the runs whose outputs it reads; it waits for them.
  std::int64_t delay_ms = 0;  ///< Delay after queueing before it may start.
  bool aa = false;            ///< It repeats the control's replicate of that number; see `Purpose`.
  int repeats = 0;            ///< Number of the smoke run that it repeats; 0 if it repeats none. See `Purpose`.
  int continues{};            ///< Number of the run of a search that it continues (Fidelity::continues); 0 for none.
};

/// A question to a person, for whose answer a study waits.
struct Gate {
  static constexpr int unlisted = -1;  ///< `position` of a gate that the study file does not list.
  std::string id;                      ///< STUDY-gN
  int position = 0;                    ///< Index into StudySpec::gates.
  GateOn on = GateOn::hypotheses;
  Reason what;   ///< The question, as a part of a sentence.
  int call = 0;  ///< The model call whose reply wants to use a tool; 0: the gate is for the whole study.
  std::string tool_call{}, tool{};  ///< The tool call within that reply.
  /// As the model gave them; a person may change them. `secrets`: the files, a JSON list of paths below the workspace.
  std::string arguments{};
};

/// A run that an agent or a person ordered, in addition to the study's own commands. It is never evidence.
struct ScratchOrder {
  int call = 0;           ///< 0 if a person ordered it.
  std::string tool_call;  ///< A person's order: the client's token, to find the order if the answer was lost.
  std::string line;
  std::string command;  ///< For `sh -c`; of a person's order only for display.
  WorkspaceRecord workspace;
  Resources resources;
  std::vector<std::string> arguments{};            ///< A person's order: the argument list to execute.
  std::string folder{};                            ///< Absolute path to run in; empty: a copy of the workspace.
  std::optional<EnvironmentRecord> environment{};  ///< Recorded with the order; none: the study's.
  /// An agent's order of the study's own command at this setting; `command` is then only for display.
  std::optional<Cell> cell{};

  bool by_hand() const { return !arguments.empty(); }
};

enum class Judgement { open, met, unmet };

/// A condition that the study must meet, so that its verdicts answer its question.
struct StudyRequirement {
  std::string id;         ///< R1…
  bool question = false;  ///< True if it is part of the question; false if it is about the method.
  std::string text;
  std::string by;                        ///< The role that stated it.
  std::vector<HypothesisId> hypotheses;  ///< `question`: the hypotheses whose verdicts answer it.
  std::string file;                      ///< Method: where the code does it; empty if there is no place yet.
  int from = 0, to = 0;                  ///< Lines, starting with 1.
  WorkspaceHash workspace{};             ///< The code that the place refers to.
  std::string unmet{};                   ///< Reason if the code has no such place.
  Judgement judged = Judgement::open;    ///< Judged from that code's source only.
  std::string why{};
  std::string judge{};    ///< The role that judged it, or `person`.
  std::string version{};  ///< The version meant in a search over code; empty for the study's own code.
  Reason stated{};        ///< The kernel's own requirement, whose sentence is `text`; empty for others.
};

/// A section of the write-up in an agent's words, with addresses bound to recorded values.
struct Section {
  std::string name, by, text;
  std::map<std::string, std::string> written{};  ///< Node::written
};

/// One summarised metric of one run. `value` is NaN only if `censored` or `worst` is set.
struct MetricValue {
  double value = 0;
  bool censored = false;  ///< The true value is at least this.
  bool worst = false;     ///< NaN under `on_nan: worst`; ranked as the worst outcome.
};

/// Values read from a run's outputs after its process tree had ended.
struct Measurement {
  std::map<std::string, MetricValue> values;
  std::int64_t points = 0;          ///< Number of valid metric lines.
  std::int64_t malformed = 0;       ///< Number of malformed metric lines.
  std::optional<RunState> verdict;  ///< failed (no primary metric, NaN) or invalid (a guard); else none.
  Reason reason;
  BlobRef metrics;  ///< Every point, as JSON lines.
  /// Metrics of the evaluator that the job wrote itself; its values for them are ignored.
  std::vector<std::string> ignored{};
  /// Metric → item → its last value, of metrics that a hypothesis with `unit: item` tests.
  std::map<std::string, std::map<std::string, double>> items{};
};

/// A file or folder that was moved out of the run's folder unchanged, and is stored under its own hash.
struct KeptOutput {
  std::string name;    ///< The stage output's name; empty for a large output.
  std::string path;    ///< Where the job wrote it.
  std::string sha256;  ///< Hash of the file, or of the folder's manifest.
  std::int64_t bytes = 0;
};

struct OutputFile {
  std::string path;  ///< Relative to the output folder.
  BlobRef blob;
};

/// Outputs that should have been kept but were not.
struct LeftOut {
  std::int64_t count = 0;
  bool more = false;               ///< The count is incomplete.
  std::vector<std::string> named;  ///< "PATH: why" of the first ones.
};

/// A finding of the manipulation check; the subject is a factor, the seed or a metric.
struct CheckFinding {
  std::string subject;
  Reason message;
  bool serious = true;
};

/// Lines of a file.
struct CodePlace {
  std::string file;
  int from = 0, to = 0;  ///< Starting with 1.
};

/// What an agent changed: the difference of its code from the newest code that a person wrote.
struct CodeAmendment {
  std::string by;                   ///< The role that wrote it.
  std::string line;                 ///< Its line of work, which names the model; empty if there was none.
  WorkspaceHash original, amended;  ///< `original`: a person's code.
  BlobRef diff;
  std::vector<CodePlace> places;    ///< The changed lines of the amended files.
  std::vector<CheckFinding> mends;  ///< Findings on the original that the first amendment of it mends.
};

/// One metric at one setting, on one seed, by original and amended code. A value is absent if the run had none.
struct ComparedValue {
  Cell cell;
  std::string metric;
  std::optional<double> original, again, amended;

  bool repeats() const { return original == again; }
  bool moved() const { return repeats() && amended != original; }
};

/// The mean shift of a metric whose original values do not repeat themselves.
struct NoisyShift {
  std::string metric;
  double shift = 0, low = 0, high = 0;  ///< Amended − original in the metric's unit, with its 95 % interval.
  double smallest = 0;                  ///< The smallest shift that this comparison would have seen with 80 % power.
};

struct SizeRecord {
  HypothesisId hypothesis;
  int replicates = 0;
  std::optional<double> power;  ///< For the smallest effect with these replicates; none if unknown.
  std::optional<double> sd;     ///< From the pilot, of the unit that the test uses.
  Reason how;
};

/// How the number of replicates was fixed. No result of a run adds runs after the registration.
enum class StoppingRule {
  fixed,    ///< By the design: min = max.
  settled,  ///< By an earlier study, in a reproduction.
  sized,    ///< By sizing, between min and max, for `power` at α/M; SizeRecord::how names the method.
};

/// The evaluator command that scores the runs of a registration.
struct EvaluatorTerms {
  Tier tier = Tier::none;
  CommandTemplate command;
  std::vector<SealedData> data;
  int look = 0;               ///< `test`: the number of this look at its data; else 0.
  int looks = 0;              ///< The allowed number of looks.
  WorkspaceHash workspace{};  ///< Hash of the evaluator's workspace, if it differs from the jobs' workspace.
};

/// Conditions that affect how the runs come out and how they are read, in addition to hypotheses, cells and metrics.
struct Terms {
  Design design;  ///< Power, replicates, pilot, max_failed and the rest, as in the study.
  StoppingRule stopping = StoppingRule::fixed;
  std::vector<Factor> factors;  ///< Every level with its value and bundle.
  std::map<std::string, Scalar> constants;
  Resources resources;
  std::vector<ProtectedFile> protect;
  EnvironmentSpec environment;                        ///< As declared; `Registration::environment` is what was found.
  std::uint64_t seed = 0;                             ///< The study's seed.
  std::vector<std::vector<std::uint64_t>> run_seeds;  ///< Pairing none: replicate i of cell c uses run_seeds[c][i-1].
  std::optional<EvaluatorTerms> evaluator;            ///< None if the runs report all metrics themselves.
};

/// A/A comparison: this many more replicates of one cell are run.
struct AaPlan {
  Cell cell;
  int replicates = 0;
  std::vector<std::uint64_t> seeds{};  ///< One per replicate; empty: they have the seeds of the control's.
};

/// Fixed before the first of its runs; its hash is recorded in the event log.
struct Registration {
  ExperimentId experiment;  ///< E01
  int batch = 1;
  int family = 1;  ///< M
  double alpha = 0.05;
  std::vector<Hypothesis> hypotheses;
  std::vector<Cell> cells;
  std::vector<int> replicates;       ///< Per cell.
  std::vector<std::uint64_t> seeds;  ///< Pairing seed: replicate i uses seeds[i-1]; with blocks see `seed_index`.
  Pairing pairing = Pairing::seed;
  Order order = Order::random;
  std::vector<SizeRecord> sizes;
  std::vector<Metric> metrics;
  std::vector<Guard> guards;
  CommandTemplate command;
  std::vector<StageSpec> stages;  ///< Empty if there is only the command.
  WorkspaceHash workspace;
  std::string environment;  ///< SHA-256 of the environment record.
  std::vector<DataRecord> data;
  std::optional<Terms> terms;  ///< None only in logs older than this member.
  std::optional<AaPlan> aa;    ///< None if the design fixes the number of replicates.
  int first_seed = 0;          ///< Number of seeds that earlier batches used; `seeds` follow those.
  std::optional<Hypothesis> planted;
  ExperimentId amends;  ///< The experiment that ended when the code was amended and that this one replaces.
  Draw draw{};          ///< Its seeds and the order of its runs follow from it; see `draw_for`.
};

/// The result of one requirement of a hypothesis, tested separately at the hypothesis's levels.
struct RequirementResult {
  std::string metric;
  Verdict verdict = Verdict::inconclusive;
  std::optional<double> effect, low, high;  ///< In the metric's unit.
  double level = 0;
  std::optional<double> p;
  Reason reason;
};

/// One of the settings that a hypothesis averages over: a description, not a test.
struct SettingResult {
  Cell levels;
  std::optional<double> effect, low, high;  ///< In the unit of the hypothesis's effect.
  double level = 0;                         ///< Level of the interval for this setting alone; 0 if there is none.
};

/// The look at which a verdict was reached, if the design has looks.
struct LookResult {
  int number = 1, of = 1;
  double fraction = 1;  ///< Share of the hypothesis's runs.
  double p = 1;         ///< Smallest level of the whole test at which it stops at this look; Holm's p.
};

/// How the effect differs between the settings that a hypothesis averages over (stats/effects/heterogeneity.h).
struct Heterogeneity {
  int settings = 0;
  double lowest = 0, highest = 0;   ///< The range of their effects, in the unit of the hypothesis's effect.
  double i2 = 0;                    ///< Share of their variance that chance does not explain.
  std::optional<double> low, high;  ///< 95 % prediction interval of the effect in a new setting.
};

/// The verdict that a change of the data or the test would give at the same levels.
struct OtherVerdict {
  Verdict verdict = Verdict::inconclusive;
  double p = 1;
};

/// What a result rests on and how firm it is. Descriptions, not tests: verdicts do not use them.
struct Reading {
  std::array<int, 2> runs{};      ///< Runs with a value: treatment, control.
  std::array<int, 2> left_out{};  ///< Runs with a value that no unit of the test uses.
  /// Effect in standard deviations of the test's unit, Hedges' g; for a slope, its distance from the reference.
  std::optional<double> standardised;
  std::optional<double> planned_power;  ///< The power that was computed when the size was fixed.
  std::optional<Heterogeneity> heterogeneity;
  std::optional<OtherVerdict> by_ranks;  ///< None if the design has no rank test, or if ranks were registered.
  int outliers = 0;                      ///< Values that are far out.
  /// The verdict without one of them: one that changes the verdict, if there is one; else the one with the largest p.
  std::optional<OtherVerdict> without_outlier;
  int outlier_run = 0;  ///< The number of that run if it changes the verdict; else 0.
};

/// The outcome of one hypothesis; the members are those of the contract's `hypothesis` shape.
struct HypothesisResult {
  HypothesisId id;
  Verdict verdict = Verdict::inconclusive;
  std::optional<double> effect, effect_relative;
  std::optional<double> low, high;                    ///< In the unit of `effect`; none if unbounded or unknown.
  std::optional<double> relative_low, relative_high;  ///< Fieller, for relative margins.
  std::optional<double> se, df;                       ///< Standard error of `effect` and its degrees of freedom.
  double level = 0;
  std::optional<double> p, p_corrected;
  std::array<int, 2> n = {0, 0};  ///< Treatment, control: units of the test; without a `Reading`, runs.
  std::array<int, 2> failed = {0, 0};
  std::optional<double> power;  ///< For the smallest effect, with the evidence's own variance; none if unknown.
  Reason reason;
  std::vector<Reason> warnings;
  std::optional<double> bca_low, bca_high;  ///< Bootstrap interval of `effect`.
  bool bca_descriptive = true;              ///< Too few units for inference; the interval is only a description.
  /// In the hypothesis's order. `p` and `verdict` include them; effect and interval are of the hypothesis's own test.
  std::vector<RequirementResult> requirements;
  std::optional<LookResult> look{};
  int blocks = 0;                         ///< Number of blocks that are its units; 0 if the design has none.
  std::vector<SettingResult> settings{};  ///< Results per setting, if it averages over several.
  /// True if the shares of successful runs were compared, not means. None in older logs and for other methods.
  std::optional<bool> by_shares{};
  std::optional<Reading> reading{};  ///< None without `Design::reading`.

  /// Runs with a value: treatment, control.
  const std::array<int, 2>& runs() const { return reading ? reading->runs : n; }
};

/// Result of the A/A comparison for the primary metric (or the metric that it is derived from).
struct AaResult {
  std::string metric;
  Cell cell;
  int n = 0, failed = 0;                        ///< Pairs (unpaired: repetitions) with a value; failed repetitions.
  std::optional<double> mean;                   ///< Mean of the control.
  std::optional<double> difference, low, high;  ///< Repetition − control, with its 95 % interval.
  std::optional<double> noise;                  ///< Standard deviation of one run around the same true value.
  std::optional<double> p;                      ///< Two-sided.
  bool differs = false;                         ///< p below 0.01: the difference is not explained by chance.
};

/// A result of an earlier study of the home.
struct Predecessor {
  std::string study;
  HypothesisId hypothesis;
  std::string contrast;  ///< See `contrast_key`.
  Verdict verdict = Verdict::inconclusive;
  std::string reason;
  bool other_code = false;  ///< Code, data or conditions differed; the commands were the same.
  std::string by_runs{};    ///< See `runs_key`; empty in older logs.
};

/// Number of experiments of an earlier study of the home that were scored on this test data.
struct EarlierLooks {
  std::string study;
  int looks = 0;
};

/// The peak memory of the runs of one setting and stage in earlier studies of the home, which had the same commands,
/// code and data.
struct EarlierPeak {
  Cell cell;
  std::string stage;                      ///< Empty if the runs measure.
  std::int64_t bytes = 0, gpu_bytes = 0;  ///< As in Study::peaks.
};

enum class NodeType { question, experiment, decision, dead_end, pivot, insight };

/// A node of the exploration graph. `fields` holds the fields of its type, named as in the artifact format.
struct Node {
  std::string id;  ///< N01…
  NodeType type = NodeType::question;
  std::string title;
  std::vector<std::string> parents;
  std::map<std::string, std::string> fields;
  std::vector<std::string> alternatives;  ///< Only for decisions.
  std::vector<std::string> evidence;      ///< C##, E## or paths.
  ExperimentId experiment;                ///< E01, in the node of a registered experiment.
  HypothesisId hypothesis;                ///< Only for dead ends.
  std::int64_t time_ms = 0;
  /// Texts as written, with addresses in place of values: "title", a field's name, "alternative 1".
  std::map<std::string, std::string> written{};
  /// The kernel's own texts: "title" or a field's name. The text itself is its `sentence` in the wording of the study.
  std::map<std::string, Reason> stated{};
  std::string by{};                 ///< `person` if a person recorded it; else empty.
  std::vector<std::string> runs{};  ///< Ids of the runs that support it.
};

struct Claim {
  std::string id;  ///< C01…
  HypothesisId hypothesis;
  ExperimentId experiment;
  std::string title, statement, conditions, falsification;
  std::string status;  ///< supported | refuted | hypothesis
  std::vector<std::string> depends_on, tags;
  /// Texts as written, with addresses in place of values: "title", "statement", …, "tag 1".
  std::map<std::string, std::string> written{};
};

}  // namespace kernel
