#pragma once
// A study as its author wrote it, parsed and checked: plain values without YAML, and no paths except those in the file.
// `studyfile` creates it; all other code only reads it. Shapes follow docs/study-file.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/domain/job_spec.h"
#include "kernel/domain/literature.h"

namespace kernel {

/// A YAML scalar: the author's spelling, which commands receive, and its numeric value, if it has one.
struct Scalar {
  std::string text;
  std::optional<double> number;
};

enum class FactorType { text, integer, number, boolean };

/// One level of a factor. `name` appears in hypotheses and tables; for a plain level it equals `value.text`.
struct Level {
  std::string name;
  Scalar value;
  std::map<std::string, Scalar> bundle;  ///< Named bundles: {size.d} → bundle["d"]; empty for plain levels.
};

struct Range {
  double low = 0, high = 0;
  bool log = false;
};

struct Factor {
  std::string name;
  FactorType type = FactorType::text;
  std::vector<Level> levels;            ///< At least one. A range has its ends, its baseline and all values tried.
  std::optional<Range> range;           ///< Only for screen and optimize; requires a baseline.
  std::optional<std::string> baseline;  ///< A level's name.

  const Level* level(const std::string& level_name) const { return find_by(levels, &Level::name, level_name); }
};

/// Factor name → level name.
using Cell = std::map<std::string, std::string>;

struct FromMetricsFile {};
struct FromStdout {
  std::string pattern;  ///< ECMAScript regular expression with one group.
};
struct FromJsonFile {
  std::string file;
  std::string pointer;  ///< JSON pointer, e.g. /acc
};
struct FromJsonLines {
  std::string file;
  std::string key;
  std::string step;  ///< Empty if points are numbered from 0.
};
/// A table with a header row (RFC 4180).
struct FromCsv {
  std::string file;
  std::string key;   ///< A column's name.
  std::string step;  ///< A column's name; empty if points are numbered from 0.
};
/// Only the evaluator writes the metric; values from the job under its name are ignored.
struct FromEvaluator {};
using MetricSource = std::variant<FromMetricsFile, FromStdout, FromJsonFile, FromJsonLines, FromEvaluator, FromCsv>;

enum class SummaryKind { last, mean, median, min, max, p99, mean_last, time_to };
struct Summary {
  SummaryKind kind = SummaryKind::last;
  int last_k = 0;             ///< mean_last:K
  std::string target_metric;  ///< time_to: {loss: 3.3} → "loss"
  double target = 0;
};

enum class Goal { minimize, maximize };
enum class MetricType { continuous, proportion, count, time };
enum class Scale { linear, log };
enum class OnNan { fail, worst, censor };

/// A metric that no run reports: the metric's value compared with that of the run with the same seed, in the same cell
/// except for these levels.
struct Derived {
  std::string from;
  Cell relative_to;
  bool ratio = false;  ///< Ratio if true; else difference.
};

struct Metric {
  std::string name;
  std::string unit;
  Goal goal = Goal::minimize;
  bool primary = false;
  Summary summary;
  int warmup = 0;  ///< Number of values dropped from the front before summarising.
  MetricSource source;
  MetricType type = MetricType::continuous;
  Scale scale = Scale::linear;
  bool deterministic = false;
  OnNan on_nan = OnNan::fail;
  bool censor_right = false;
  std::optional<Derived> derived;
};

struct Guard {
  std::string metric;
  std::optional<double> at_most, at_least;
};

/// One of the two metrics that an optimisation improves at once. Beyond the limit a setting is of no use: above it for
/// a metric to be minimised, below it for one to be maximised.
struct Objective {
  std::string metric;
  std::optional<double> limit{};
  double margin{};  ///< Fresh runs still keep the limit if they show that it is missed by less than this.
};

enum class Direction { less, greater, equal, different, not_worse };
struct Margin {
  enum class Kind { relative, absolute } kind = Kind::absolute;
  double value = 0;
};
/// The effect size for power; the default is one standard deviation. If a person declares it in the metric's unit or as
/// a share, the verdict `no_relevant_effect` is possible.
struct SmallestEffect {
  enum class Kind { sd, relative, absolute } kind = Kind::sd;
  double value = 1;
};
/// An interaction is the change of the difference between treatment and control from one level of a factor to another.
/// A crossover is a change of that difference's sign along the levels.
enum class HypothesisKind { compare, slope, interaction, crossover };
/// `semilog`: the metric's logarithm against the factor; `linlog`: the metric against the factor's logarithm.
enum class SlopeScale { linear, loglog, semilog, linlog };
constexpr bool log_of_metric(SlopeScale scale) {
  return scale == SlopeScale::loglog || scale == SlopeScale::semilog;
}
constexpr bool log_of_factor(SlopeScale scale) {
  return scale == SlopeScale::loglog || scale == SlopeScale::linlog;
}
enum class Over { average, every };
enum class Method { automatic, t, log_t, exact, rank };
/// What a test counts. `item`: the items that metric lines name, each averaged over the seeds, so that a verdict holds
/// for these seeds.
enum class TestUnit { seed, item };

/// A guardrail: a condition on the same arms that must hold before the hypothesis is supported.
struct Requirement {
  std::string metric;
  Direction direction = Direction::not_worse;
  std::optional<Margin> margin;
};

struct Hypothesis {
  HypothesisId id;
  std::string statement;
  std::string mechanism;
  std::string by = person_actor;       ///< A person, or the role that proposed it.
  std::string difference;              ///< How it differs from a dead end of an earlier study that it repeats.
  std::optional<double> confidence{};  ///< The proposer's probability that it is supported.
  HypothesisKind kind = HypothesisKind::compare;
  std::string metric;
  Cell treatment, control, where;
  Direction direction = Direction::different;
  std::optional<Margin> margin;
  SmallestEffect smallest_effect;
  Method method = Method::automatic;
  Over over = Over::average;
  TestUnit unit = TestUnit::seed;
  std::string along;               ///< The factor; all kinds except `compare`.
  std::vector<std::string> steps;  ///< Levels of `along` in order, for interactions (from, to) and crossovers.
  SlopeScale slope_scale = SlopeScale::linear;
  double slope_value = 0;                 ///< The reference value for a slope.
  std::vector<Requirement> requirements;  ///< `requires` in the study file.
  int line = 0;                           ///< Line in the study file; 0 if an agent proposed it.

  bool has_arms() const { return kind != HypothesisKind::slope; }
  /// True if the exclusion of every effect of `smallest_effect` or more is a verdict of its own: a person declared it
  /// in the metric's unit or as a share, for a direction with no margin.
  bool judges_relevance() const;
  /// True if direction and margin allow that verdict, should a person declare such a smallest effect.
  bool may_judge_relevance() const;
};

enum class Pairing { seed, none };

/// Where seeds of runs come from. `derived`: a study from before there was a rule; see `derived_seed`. `fixed`: the
/// author's word; they follow from the study's seed.
enum class SeedRule { derived, drawn, fixed };
enum class Order { random, listed };
/// How p-values give a verdict. `smallest_effect`: the rule of earlier programs, by which the exclusion of every effect
/// beyond `smallest_effect` refutes, also if that is one standard deviation by default. `one_interval`: see verdict.h.
enum class VerdictRule { smallest_effect, one_interval };
/// What is controlled: the family's probability of any false verdict, or a batch's share of false ones among supported.
enum class Correction { holm, benjamini_hochberg };

/// How an optimisation chooses its settings. `halving`: successive halving, as earlier programs always did, and as it
/// is with a fidelity unless the study asks for a model. `model`: by a model of the response
/// (kernel/search/model_search.h). `keep_or_discard`: versions of the code one after another, each kept as the new base
/// or discarded (kernel/search/keep_or_discard.h).
enum class SearchRule { halving, model, keep_or_discard };

/// Size of the confirmation of a screening or an optimisation, fixed before the search.
struct Confirm {
  int top = 1;          ///< Size of the confirmatory family.
  int replicates = 12;  ///< Per cell, on fresh seeds; the fewest where `most` is set.
  int most{};           ///< As many as the gain that the search expects needs, up to this; 0: exactly `replicates`.

  int upper() const { return most > replicates ? most : replicates; }
};

/// Registered analyses before all runs have ended.
struct Looks {
  std::vector<double> at;  ///< Shares of the replicates, in rising order; the last is 1. Empty if `anytime`.
  bool futility = false;   ///< Also stop hypotheses with little chance of being supported.
  bool anytime = false;    ///< A look after every replicate, by confidence sequences (stats/error_rates/anytime.h).
};

/// A cell and the seeds of its replicates, in order.
struct PinnedCell {
  Cell cell;
  std::vector<std::uint64_t> seeds;
};

struct Design {
  double alpha = 0.05;
  double power = 0.8;
  int replicates_min = 3;
  int replicates_max = 20;
  Pairing pairing = Pairing::seed;
  std::optional<int> family;  ///< Default: the number of listed or derived hypotheses.
  int pilot = 5;              ///< Per arm and cell; unused if min = max.
  double max_failed = 0.1;
  bool smoke = true;
  Order order = Order::random;
  int warmup_runs = 0;
  /// Factors whose combinations of levels are blocks. Blocks are a sample of many, and the units of every test.
  std::vector<std::string> blocks;
  Correction correction = Correction::holm;
  VerdictRule rule{};
  bool reading = false;  ///< Results have a `Reading` and count units. False in logs of programs without it.
  /// Hypothesis → replicates of an earlier study: a reproduction has neither pilot nor sizing.
  std::map<HypothesisId, int> settled;
  /// The only registered runs of a reproduction that repeats those of an earlier study; cells not listed have none.
  /// Empty: see `SeedRule`.
  std::vector<PinnedCell> pinned{};
  /// Optional: a known effect that the study must find. It is outside the family.
  std::optional<Hypothesis> planted;
  std::optional<Looks> looks;      ///< None: one analysis after all runs.
  std::optional<Confirm> confirm;  ///< Only for searches; their replicates are those of the selection.
  SearchRule search{};             ///< Only for optimisations.

  bool sized_beforehand() const {
    return replicates_min == replicates_max || !settled.empty() || confirm || (looks && looks->anytime);
  }
};

/// Limits of a study; members that are not set do not limit it.
struct Budget {
  std::optional<double> wall_s;
  std::optional<std::int64_t> runs;
  std::optional<double> usd;
  std::optional<std::int64_t> tokens;
  std::optional<double> gpu_hours;
};

enum class Limit { runs, wall, gpu_hours, usd, tokens };

/// `tool`: gates before single tool calls of agents. `question`: an agent's question, which no study file lists.
enum class GateOn { hypotheses, experiments, spend, conclude, tool, question, secrets };

/// A point at which a person must decide before the study continues.
struct GateSpec {
  GateOn on = GateOn::hypotheses;
  Budget above;                      ///< `spend`: due before usage would exceed one of these.
  bool pause = false;                ///< Do not wait: pause until the gate is decided and the study resumed.
  std::vector<std::string> tools{};  ///< `tool`: globs of tool names.
  std::optional<double> wait_s{};    ///< Time to wait for a person; then the study pauses, or takes this answer:
  std::optional<bool> unanswered{};  ///< Approved or rejected.
};

struct WorkspaceSpec {
  std::string path = ".";            ///< Absolute after parsing.
  std::vector<std::string> exclude;  ///< .gitignore patterns.
  std::optional<std::int64_t> max_bytes;
  /// .gitignore patterns of files that may look like secrets and are published all the same.
  std::vector<std::string> allow_secrets{};
};

enum class Identity { sha256, manifest, declared };
struct DataSpec {
  std::string name;
  std::string path;  ///< Absolute after parsing.
  Identity identity = Identity::sha256;
  std::string declared_id;
};

/// A .gitignore pattern of workspace files that no job may change.
struct Protect {
  std::string pattern;
  int line = 0;  ///< In the study file.
};
struct EnvironmentSpec {
  std::string use = "system";  ///< system | venv:PATH | conda:NAME | uv | module:NAME | activate: LINES
  std::map<std::string, std::string> set;
  std::vector<std::string> pass;
};

/// A file or folder that only the evaluator may read.
struct SealedPath {
  std::string path;      ///< Absolute after parsing.
  std::string place;     ///< Relative to the evaluator's working directory.
  std::string identity;  ///< The expected identity; empty: the identity when the study is prepared.
  int line = 0;          ///< In the study file.
};
/// One evaluator command and the data that only it reads.
struct TierSpec {
  CommandTemplate command;
  std::vector<SealedPath> data;
  int looks = 1;  ///< `test`: the number of experiments that it may score.
};
struct EvaluatorSpec {
  std::vector<Protect> protect;
  std::optional<TierSpec> validation, test;

  const TierSpec* tier(Tier) const;
};

/// A file or folder that a stage passes to later stages, below its output folder or working directory.
struct StageOutput {
  std::string name;  ///< {STAGE.name}
  std::string path;  ///< Relative.
};

/// One step of a run with several commands. It runs once per seed and cell of its own factors and those of the stages
/// that it needs; all runs of later stages that agree share it.
struct StageSpec {
  std::string name;
  std::vector<std::string> needs;  ///< Names of earlier stages.
  CommandTemplate run;
  std::vector<std::string> factors;  ///< Its own factors.
  std::vector<StageOutput> outputs;
  Resources resources;  ///< The stage's own settings; the study's for the rest.
};

/// Outputs that are kept without copying them.
struct LargeOutput {
  enum class Retain { all, best } retain = Retain::all;  ///< After the study; `best`: only those of the best run.
  std::string pattern;
};

enum class StudyKind { test, screen, optimize };

/// The factor that successive halving increases from rung to rung while it drops candidates.
struct Fidelity {
  std::string factor;  ///< Its levels are numbers.
  int eta = 3;         ///< One of this many candidates continues.
  /// Files or folders that a run leaves below its own folder. A run of the same setting at the next level continues
  /// from them. Empty: every run begins anew.
  std::vector<std::string> continues{};
};

/// Limits of an optimisation over versions of the code that engineers write.
struct CodeSpec {
  int drafts = 3;       ///< Versions that start from the person's code.
  int branches = 3;     ///< Lines of work in parallel.
  int debug_depth = 3;  ///< How many times in a row a failing version is debugged.
  int versions = 20;    ///< Maximum, including versions that fail.
  /// A version from which so many steps in a row came to nothing gets no further one; 0 (earlier programs) for no
  /// limit.
  int idle_steps = 0;
  int calls = 0;  ///< The most replies of the model that a step takes; 0 for that of every line of work.
  int floor{};    ///< Keep or discard: runs of the person's code that measure the noise floor; 0 for other rules.
  int retest{};   ///< Keep or discard: fresh seeds on which a promising version and its base run again.

  bool keeps_or_discards() const { return floor > 0; }
};
/// The factor whose levels are the versions, and its level for the person's own version.
inline constexpr const char* code_factor = "code";
inline constexpr const char* original_code = "original";

/// Value of StudySpec::agents in a captured study.
inline constexpr const char* person_at_work = "person";

struct StudySpec {
  std::string title, question;
  StudyKind kind = StudyKind::test;
  WorkspaceSpec workspace;
  EnvironmentSpec environment;
  std::vector<DataSpec> data;
  CommandTemplate run;            ///< With stages: the last stage's command.
  std::vector<StageSpec> stages;  ///< Dependencies first; the last stage measures. Empty if there is only `run`.
  /// `environment.setup`: runs once before everything else; every run sees its results read-only.
  std::optional<StageSpec> setup;
  std::vector<std::string> setup_files;  ///< Files of the workspace that the set-up depends on.
  SetupKey setup_key;                    ///< Set when the study is prepared.
  std::vector<Factor> factors;           ///< In file order.
  std::map<std::string, Scalar> constants;
  std::vector<std::map<std::string, std::vector<std::string>>>
      excludes;                 ///< Each excludes the cells that match all its entries.
  std::vector<Metric> metrics;  ///< In file order; exactly one is primary.
  std::vector<Guard> guards;
  std::vector<Hypothesis> hypotheses;
  Design design;
  EvaluatorSpec evaluator;
  Resources resources;  ///< With stages: the last stage's.
  Budget budget;
  std::vector<GateSpec> gates;             ///< In file order.
  std::vector<std::string> keep_outputs;   ///< Globs below the output folder; empty: all files within the size limit.
  std::vector<LargeOutput> large_outputs;  ///< Globs below the output folder, in file order.
  bool cache = false;                      ///< An identical run of an earlier study may replace a run.
  bool retries = false;                    ///< A run that exits with 75 is repeated; otherwise it has failed.
  std::string agents = "builtin";
  std::uint64_t seed = 1;
  SeedRule seeds{};
  std::string file;                  ///< Absolute path of the study file.
  std::optional<Fidelity> fidelity;  ///< Only for optimisations.
  Literature literature;
  std::optional<CodeSpec> code{};  ///< Only for optimisations; adds the factor `code`.
  Extended extends{};
  Publication publication{};
  std::vector<Objective> objectives{};  ///< Only for optimisations: none, or two, the primary metric first.

  /// True if a person does the work and etude records it; no role is asked.
  bool captured() const { return agents == person_at_work; }
  const Factor* factor(const std::string& name) const { return find_by(factors, &Factor::name, name); }
  const Metric* metric(const std::string& name) const { return find_by(metrics, &Metric::name, name); }
  const Metric& primary() const;
  /// The metric that runs report: the metric itself, or the one it is derived from.
  const Metric& reported(const Metric&) const;
  bool from_evaluator(const std::string& metric_name) const;
  /// True if a command of the study mentions `{seed}`. Jobs may read ETUDE_SEED instead.
  bool passes_seed() const;
  /// Null for an empty or unknown name.
  const StageSpec* stage(const std::string& name) const;
  /// Of a run of that stage; an empty name means the measuring run.
  const CommandTemplate& command_of(const std::string& stage_name) const;
  const Resources& resources_of(const std::string& stage_name) const;
};

/// True if the hypothesis or one of its requirements is on the metric.
bool is_about(const Hypothesis&, const std::string& metric);

}  // namespace kernel
