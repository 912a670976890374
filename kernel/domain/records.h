#pragma once
// What events carry: registrations, runs, measurements, verdicts, nodes and claims, as plain values.

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

/// `aa`: the control once more, under a registration and never evidence; `search`: selection by a screening or an
/// optimisation.
enum class Purpose { registered, smoke, pilot, scratch, aa, search };
/// Those before `succeeded` go on.
enum class RunState { queued, starting, running, succeeded, failed, timed_out, invalid, cancelled, lost };
constexpr bool is_end(RunState state) {
  return state >= RunState::succeeded;
}
/// An end that a person should look at.
constexpr bool is_bad_end(RunState state) {
  return is_end(state) && state != RunState::succeeded && state != RunState::cancelled;
}
enum class Verdict { supported, refuted, inconclusive };
enum class StudyState { running, paused, ended };
enum class StudyOutcome { concluded, failed, cancelled };

/// Which question the study is at; each step has one role to ask, or runs to wait for.
enum class Phase {
  preparing,  ///< The environment is being set up.
  proposing,
  checking,
  sizing,
  registering,
  measuring,
  analysing,
  concluding,
  cancelling,  ///< Waits for what is being killed.
  packaging,
  done,
  searching,  ///< A screening or an optimisation selects what is to be confirmed.
  capturing,  ///< A person works; what they do is recorded.
};

/// Who can be asked to do the next part of a study.
enum class Role { hypothesis, experiment, analysis, writeup };

/// What an artifact states and its log does not.
struct Untrue {
  std::string experiment;  ///< Whose evidence it stands in; empty: it cannot be told.
  std::string what;        ///< One sentence without a full stop.
};

/// What a reproduction is of, and which part of it its reader chose.
struct ReproductionTerms {
  std::string head;                 ///< Of the chain that the artifact carries.
  BlobRef log;                      ///< That log, as it was read.
  std::vector<std::string> claims;  ///< Empty: all.
  bool fresh = false;               ///< On seeds that the recorded study did not use.
  int sample = 0;                   ///< So many of its runs, drawn by chance; 0: the design as a whole.
  std::uint64_t seed = 0;           ///< The reader's: of the sample, or of the fresh seeds.
  std::vector<Untrue> untrue;
};

/// What of the machine one run has while it lives.
struct Lease {
  int cpus = 0;
  std::int64_t memory_bytes = 0;  ///< 0: the study set no limit, and none is reserved.
  std::vector<std::string> gpus;  ///< Ids of devices.
};

/// One planned run, inside RunsQueued.
struct PlannedRun {
  int number = 0;  ///< Counts from 1 within the study; the id is STUDY-rNUMBER.
  int cell = 0;    ///< Index into RunsQueued::cells.
  std::uint64_t seed = 0;
  int replicate = 0;  ///< Counts from 1 within its cell.
  int retry_of = 0;   ///< A run's number; 0: none.
  int attempt = 1;
  /// Smoke runs: what was flipped ("seed", "algorithm"); runs of a search: its rung ("rung 1"); else empty.
  std::string label;
  std::string stage{};        ///< An earlier stage's name; empty: the run measures.
  std::vector<int> needs{};   ///< Numbers of the runs whose outputs it takes; it waits for them.
  std::int64_t delay_ms = 0;  ///< It starts no earlier than this after it was queued.
  bool aa = false;            ///< It repeats the control's replicate of that number; see `Purpose`.
};

/// A question to a person that a study waits with.
struct Gate {
  std::string id;    ///< STUDY-gN
  int position = 0;  ///< In StudySpec::gates.
  GateOn on = GateOn::hypotheses;
  std::string what;  ///< What is asked, one sentence without a full stop.
  int call = 0;      ///< The model's call whose reply wants to use a tool; 0: it stands before the whole study.
  std::string tool_call{}, tool{};  ///< Which of that reply's.
  std::string arguments{};          ///< As the model gave them: what a person may change.
};

/// What an agent or a person wants to see run, beside the study's own commands: never evidence.
struct ScratchOrder {
  int call = 0;           ///< 0: a person's.
  std::string tool_call;  ///< Of a person's: the word by which the order is known if the answer gets lost.
  std::string line;
  std::string command;  ///< For `sh -c`; of a person's the same, to be read.
  WorkspaceRecord workspace;
  Resources resources;
  std::vector<std::string> arguments{};            ///< Of a person's: what runs, word by word.
  std::string folder{};                            ///< Absolute: it runs there; empty: in a copy of the workspace.
  std::optional<EnvironmentRecord> environment{};  ///< As it was then; none: the study's.
  /// Of an agent's: the study's own command at this setting; `command` is that, to be read.
  std::optional<Cell> cell{};

  bool by_hand() const { return !arguments.empty(); }
};

enum class Judgement { open, met, unmet };

/// What the study has to do or to answer so that its verdicts answer its question.
struct StudyRequirement {
  std::string id;         ///< R1…
  bool question = false;  ///< Part of the question; else of the method.
  std::string text;
  std::string by;                       ///< The role that drew it.
  std::vector<std::string> hypotheses;  ///< `question`: those whose verdicts answer it.
  std::string file;                     ///< Of the method: where the code does it; empty: nowhere yet.
  int from = 0, to = 0;                 ///< Lines, the first is 1.
  WorkspaceHash workspace{};            ///< The code that is meant.
  std::string unmet{};                  ///< Why there is no such place.
  Judgement judged = Judgement::open;   ///< From the source alone, for that code.
  std::string why{};
  std::string judge{};    ///< Who judged it: a role, or `person`.
  std::string version{};  ///< Whose code is meant, in a search over code; empty: the study's own.
};

/// A part of the write-up in an agent's words, bound to the record.
struct Section {
  std::string name, by, text;
  std::map<std::string, std::string> written{};  ///< Node::written
};

/// One summarised metric of one run. `value` is NaN only where `censored` or `worst` says how to read it.
struct MetricValue {
  double value = 0;
  bool censored = false;  ///< The true value is at least this.
  bool worst = false;     ///< NaN under `on_nan: worst`: counts as the worst outcome.
};

/// What was read from a run's outputs after its process tree was dead.
struct Measurement {
  std::map<std::string, MetricValue> values;
  std::int64_t points = 0;          ///< Metric lines understood.
  std::int64_t malformed = 0;       ///< Metric lines that were not.
  std::optional<RunState> verdict;  ///< failed (no primary metric, NaN) or invalid (a guard); none: nothing against it.
  Reason reason;
  BlobRef metrics;  ///< Every point, as JSON lines.
  /// Metrics that the job wrote although only the evaluator may; what it wrote of them is in no value.
  std::vector<std::string> ignored{};
};

/// A file or folder that was moved out of the run's folder as it is, under its own hash.
struct KeptOutput {
  std::string name;    ///< A stage's output; empty: a large one.
  std::string path;    ///< Where the job left it.
  std::string sha256;  ///< Of the file, or of the folder's manifest.
  std::int64_t bytes = 0;
};

struct OutputFile {
  std::string path;  ///< Below the output folder.
  BlobRef blob;
};

/// Outputs that were not kept though they should have been.
struct LeftOut {
  std::int64_t count = 0;
  bool more = false;               ///< There are more than were counted.
  std::vector<std::string> named;  ///< "PATH: why", the first of them.
};

/// The manipulation check's findings; each names a factor, the seed or a metric.
struct CheckFinding {
  std::string subject;
  Reason message;
  bool serious = true;
};

/// Why a hypothesis got its number of replicates.
struct SizeRecord {
  std::string hypothesis;
  int replicates = 0;
  std::optional<double> power;  ///< For the smallest effect at these replicates; none: not known.
  std::optional<double> sd;     ///< From the pilot, of the unit the test uses.
  Reason how;
};

/// Who settled the replicates; none is added after the registration, whatever the runs show.
enum class StoppingRule {
  fixed,    ///< The design: min = max.
  settled,  ///< An earlier study: a reproduction.
  sized,    ///< Once, between min and max, for `power` at α/M; SizeRecord::how says by what.
};

/// What scores the runs of a registration.
struct EvaluatorTerms {
  Tier tier = Tier::none;
  CommandTemplate command;
  std::vector<SealedData> data;
  int look = 0;               ///< `test`: the how manieth use of its data this is; else 0.
  int looks = 0;              ///< Of so many.
  WorkspaceHash workspace{};  ///< What it has a copy of, where that is not what the jobs ran.
};

/// What beside hypotheses, cells and metrics decides how the runs come out and how they are read.
struct Terms {
  Design design;  ///< Power, replicates, pilot, max_failed and the rest, as the study has them.
  StoppingRule stopping = StoppingRule::fixed;
  std::vector<Factor> factors;  ///< Every level with its value and bundle.
  std::map<std::string, Scalar> constants;
  Resources resources;
  std::vector<ProtectedFile> protect;
  EnvironmentSpec environment;                        ///< As declared; `Registration::environment` is what was found.
  std::uint64_t seed = 0;                             ///< The study's: it shuffles the order.
  std::vector<std::vector<std::uint64_t>> run_seeds;  ///< Pairing none: replicate i of cell c uses run_seeds[c][i-1].
  std::optional<EvaluatorTerms> evaluator;            ///< None: the runs report every metric themselves.
};

/// The control against itself: so many replicates of one cell are run twice.
struct AaPlan {
  Cell cell;
  int replicates = 0;
};

/// Fixed before any of its runs exists; its hash stands in the event log.
struct Registration {
  std::string experiment;  ///< E01
  int batch = 1;
  int family = 1;  ///< M
  double alpha = 0.05;
  std::vector<Hypothesis> hypotheses;
  std::vector<Cell> cells;
  std::vector<int> replicates;  ///< Per cell.
  std::vector<std::uint64_t>
      seeds;  ///< Pairing seed: replicate i of a cell uses seeds[i-1]; in blocks see `seed_index`.
  Pairing pairing = Pairing::seed;
  Order order = Order::random;
  std::vector<SizeRecord> sizes;
  std::vector<Metric> metrics;
  std::vector<Guard> guards;
  CommandTemplate command;
  std::vector<StageSpec> stages;  ///< None where there is only the command.
  WorkspaceHash workspace;
  std::string environment;  ///< SHA-256 of the environment record.
  std::vector<DataRecord> data;
  std::optional<Terms> terms;  ///< None only in logs that were written before it existed.
  std::optional<AaPlan> aa;    ///< None where the design fixes the number of replicates.
  int first_seed = 0;          ///< How many seeds earlier batches took: `seeds` are the next ones.
  std::optional<Hypothesis> planted;
  std::string amends;  ///< The experiment that ended when the code was amended, whose place this one takes.
};

/// What a hypothesis requires beside its own test, by itself and at the hypothesis's levels.
struct RequirementResult {
  std::string metric;
  Verdict verdict = Verdict::inconclusive;
  std::optional<double> effect, low, high;  ///< In the metric's unit.
  double level = 0;
  std::optional<double> p;
  Reason reason;
};

/// One combination of levels of the factors that a hypothesis averages over, by itself: a description, no test.
struct SettingResult {
  Cell levels;
  std::optional<double> effect, low, high;  ///< In the unit of the hypothesis's effect.
  double level = 0;                         ///< Of the interval, for this setting alone; 0: there is none.
};

/// At which look a verdict was reached, where the design has looks.
struct LookResult {
  int number = 1, of = 1;
  double fraction = 1;  ///< Of the hypothesis's runs.
  double p = 1;         ///< The smallest level of the whole test at which it stops there: Holm's p.
};

/// The outcome of one hypothesis; the members are those of the contract's `hypothesis` shape.
struct HypothesisResult {
  std::string id;
  Verdict verdict = Verdict::inconclusive;
  std::optional<double> effect, effect_relative;
  std::optional<double> low, high;                    ///< In the unit of `effect`; none: unbounded or unknown.
  std::optional<double> relative_low, relative_high;  ///< Fieller, for relative margins.
  std::optional<double> se, df;                       ///< Standard error of `effect` and its degrees of freedom.
  double level = 0;
  std::optional<double> p, p_corrected;
  std::array<int, 2> n = {0, 0};  ///< Treatment, control: runs that count as evidence.
  std::array<int, 2> failed = {0, 0};
  std::optional<double> power;  ///< For the smallest effect, by the evidence's own variance; none: not known.
  Reason reason;
  std::vector<Reason> warnings;
  std::optional<double> bca_low, bca_high;  ///< Bootstrap interval of `effect`.
  bool bca_descriptive = true;              ///< Too few units for more than a description.
  /// In the hypothesis's order; `p` and `verdict` are of all of it, effect and interval of its own test.
  std::vector<RequirementResult> requirements;
  std::optional<LookResult> look{};
  int blocks = 0;                         ///< Those that are its units; 0: the design has none.
  std::vector<SettingResult> settings{};  ///< Of one that averages over several.
  /// Compared by how many runs succeeded, not by means; none: not said (of old), or no such method.
  std::optional<bool> by_shares{};
};

/// What the control's repetitions show of the primary metric (of what it is derived from).
struct AaResult {
  std::string metric;
  Cell cell;
  int n = 0, failed = 0;       ///< Pairs (unpaired: repetitions) that have a value; repetitions that failed.
  std::optional<double> mean;  ///< Of the control.
  std::optional<double> difference, low, high;  ///< Repetition − control, with its 95 % interval.
  std::optional<double> noise;                  ///< Standard deviation of one run around the same truth.
  std::optional<double> p;                      ///< Two-sided.
  bool differs = false;                         ///< p below 0.01: something other than chance.
};

/// A hypothesis of an earlier study of the home.
struct Predecessor {
  std::string study, hypothesis;
  std::string contrast;  ///< See `contrast_key`.
  Verdict verdict = Verdict::inconclusive;
  std::string reason;
  bool other_code = false;  ///< Or other data or conditions, under the same commands.
};

/// How many experiments of an earlier study of the home were scored on these test data.
struct EarlierLooks {
  std::string study;
  int looks = 0;
};

enum class NodeType { question, experiment, decision, dead_end, pivot, insight };

/// A node of the exploration graph. `fields` holds what its type needs, under the artifact format's names.
struct Node {
  std::string id;  ///< N01…
  NodeType type = NodeType::question;
  std::string title;
  std::vector<std::string> parents;
  std::map<std::string, std::string> fields;
  std::vector<std::string> alternatives;  ///< Decisions.
  std::vector<std::string> evidence;      ///< C##, E## or paths.
  std::string experiment;                 ///< E01, for the node of a registered experiment.
  std::string hypothesis;                 ///< For dead ends.
  std::int64_t time_ms = 0;
  /// Texts as they were written, with addresses where there now are values: "title", a field's name, "alternative 1".
  std::map<std::string, std::string> written{};
  std::string by{};                 ///< `person`, where one recorded it; else empty.
  std::vector<std::string> runs{};  ///< Ids of the runs that it rests on.
};

struct Claim {
  std::string id;  ///< C01…
  std::string hypothesis;
  std::string experiment;
  std::string title, statement, conditions, falsification;
  std::string status;  ///< supported | refuted | hypothesis
  std::vector<std::string> depends_on, tags;
  /// Texts as they were written, with addresses where there now are values: "title", "statement", …, "tag 1".
  std::map<std::string, std::string> written{};
};

}  // namespace kernel
