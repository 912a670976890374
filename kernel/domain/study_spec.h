#pragma once
// A study as its author wrote it, parsed and checked: plain values, no YAML and no paths beyond what the author named.
// `studyfile` makes it; everything else only reads it. Shapes follow docs/study-file.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/domain/code_spec.h"
#include "kernel/domain/extended_artifact.h"
#include "kernel/domain/identifiers.h"
#include "kernel/domain/literature.h"

namespace kernel {

/// A YAML scalar: the author's spelling, which is what commands receive, and the number it denotes, if any.
struct Scalar {
  std::string text;
  std::optional<double> number;
};

enum class FactorType { text, integer, number, boolean };

/// One level of a factor. `name` is what hypotheses and tables say; for a plain level it equals `value.text`.
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
  std::vector<Level> levels;            ///< At least one. Of a range: its ends, its baseline, and what was tried.
  std::optional<Range> range;           ///< Only for screen and optimize; it then has a baseline.
  std::optional<std::string> baseline;  ///< A level's name.

  const Level* level(const std::string& level_name) const;  ///< Null when there is none.
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
  std::string step;  ///< Empty: points are numbered from 0.
};
/// A table with a header row (RFC 4180).
struct FromCsv {
  std::string file;
  std::string key;   ///< A column's name.
  std::string step;  ///< Likewise; empty: points are numbered from 0.
};
/// Written by the evaluator alone; what a job reports under the name is ignored.
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

/// A metric that no run reports: another metric's value against that of the run with the same seed in the same cell but
/// for these levels.
struct Derived {
  std::string from;
  Cell relative_to;
  bool ratio = false;  ///< Else the difference.
};

struct Metric {
  std::string name;
  std::string unit;
  Goal goal = Goal::minimize;
  bool primary = false;
  Summary summary;
  int warmup = 0;  ///< Values dropped from the front before summarising.
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

enum class Direction { less, greater, equal, different, not_worse };
struct Margin {
  enum class Kind { relative, absolute } kind = Kind::absolute;
  double value = 0;
};
/// What power is computed for; the default is one standard deviation.
struct SmallestEffect {
  enum class Kind { sd, relative, absolute } kind = Kind::sd;
  double value = 1;
};
/// An interaction is the difference between two levels of a factor in what treatment and control differ by; a crossover
/// is a change of that difference's sign from one level to a later one.
enum class HypothesisKind { compare, slope, interaction, crossover };
enum class SlopeScale { linear, loglog, semilog };
enum class Over { average, every };
enum class Method { automatic, t, log_t, exact, rank };

/// A guardrail: what must hold, between the same arms, for the hypothesis to be supported.
struct Requirement {
  std::string metric;
  Direction direction = Direction::not_worse;
  std::optional<Margin> margin;
};

struct Hypothesis {
  std::string id;
  std::string statement;
  std::string mechanism;
  std::string by = "person";           ///< "person", or the agent that proposed it.
  std::string difference;              ///< What is different from an earlier study's dead end that it repeats.
  std::optional<double> confidence{};  ///< Of whoever proposed it: how likely it is to be supported.
  HypothesisKind kind = HypothesisKind::compare;
  std::string metric;
  Cell treatment, control, where;
  Direction direction = Direction::different;
  std::optional<Margin> margin;
  SmallestEffect smallest_effect;
  Method method = Method::automatic;
  Over over = Over::average;
  std::string along;               ///< Of all kinds but `compare`: the factor.
  std::vector<std::string> steps;  ///< Of interactions (from, to) and crossovers: the levels of it, in order.
  // kind: slope
  SlopeScale slope_scale = SlopeScale::linear;
  double slope_value = 0;                 ///< What the slope is compared with.
  std::vector<Requirement> requirements;  ///< `requires` in the study file.
  int line = 0;                           ///< In the study file; 0 when proposed by an agent.

  bool has_arms() const { return kind != HypothesisKind::slope; }
};

enum class Pairing { seed, none };
enum class Order { random, listed };
/// Over the family: the chance of any false verdict, or within a batch the share of false ones among those supported.
enum class Correction { holm, benjamini_hochberg };

/// What a screening or an optimisation carries into its confirmation, fixed beforehand.
struct Confirm {
  int top = 1;          ///< The confirmatory family's size.
  int replicates = 12;  ///< Per cell, on fresh seeds.
};

/// Looks at what has been measured before all of it is.
struct Looks {
  std::vector<double> at;  ///< Shares of the replicates, rising; the last is 1.
  bool futility = false;   ///< Also stop what has hardly a chance left of being supported.
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
  int pilot = 5;              ///< Per arm and cell; unused when min = max.
  double max_failed = 0.1;
  bool smoke = true;
  Order order = Order::random;
  int warmup_runs = 0;
  /// Factors whose combinations of levels are blocks, a sample of many: the units of every test.
  std::vector<std::string> blocks;
  Correction correction = Correction::holm;
  /// Hypothesis → replicates, where an earlier study settled them: a reproduction neither pilots nor sizes.
  std::map<std::string, int> settled;
  /// The registered runs, where a reproduction repeats those of an earlier study: no others, a cell that is not named
  /// has none. Empty: the seeds follow from the study's.
  std::vector<PinnedCell> pinned{};
  /// On request: an effect that is known to be there, and must be found. Outside the family.
  std::optional<Hypothesis> planted;
  std::optional<Looks> looks;      ///< None: one, when all has ended.
  std::optional<Confirm> confirm;  ///< Of screenings and optimisations only, whose replicates are those of selection.

  bool sized_beforehand() const { return replicates_min == replicates_max || !settled.empty() || confirm; }
};

enum class SandboxMode { automatic, none };

/// Unset members put no limit of their own on a run.
struct Resources {
  int cpus = 1;
  int gpus = 0;                                  ///< Whole devices; no other run of ours shares them.
  std::optional<std::int64_t> gpu_memory_bytes;  ///< What each device must have.
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> disk_bytes;
  std::optional<double> timeout_s;
  bool network = false;
  SandboxMode sandbox = SandboxMode::automatic;
};

/// Limits; unset ones do not limit.
struct Budget {
  std::optional<double> wall_s;
  std::optional<std::int64_t> runs;
  std::optional<double> usd;
  std::optional<std::int64_t> tokens;
  std::optional<double> gpu_hours;
};

/// Which member of a budget.
enum class Limit { runs, wall, gpu_hours, usd, tokens };

/// `tool` stands before single calls of agents' tools; `question` is what an agent asks, and stands in no study file.
enum class GateOn { hypotheses, experiments, spend, conclude, tool, question };

/// Where a person is asked before the study goes on.
struct GateSpec {
  GateOn on = GateOn::hypotheses;
  Budget above;        ///< `spend`: due before spending goes beyond any of these.
  bool pause = false;  ///< Nobody is waited for: the study pauses until the gate is decided and it is resumed.
  std::vector<std::string> tools{};  ///< `tool`: globs of the tools' names.
  std::optional<double> wait_s{};    ///< So long a person is waited for before it pauses, or is answered so:
  std::optional<bool> unanswered{};  ///< Approved or rejected.
};

struct WorkspaceSpec {
  std::string path = ".";            ///< Absolute after parsing.
  std::vector<std::string> exclude;  ///< .gitignore patterns.
  std::optional<std::int64_t> max_bytes;
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
  std::string use = "system";  ///< system | venv:PATH | conda:NAME | uv
  std::map<std::string, std::string> set;
  std::vector<std::string> pass;
};

/// A command as the author gave it, placeholders and all.
struct CommandTemplate {
  bool shell = true;  ///< true: `words[0]` is for `sh -c`; false: argv.
  std::vector<std::string> words;
};

/// Which of the evaluator's commands scores a run.
enum class Tier { none, validation, test };

/// A file or folder that the evaluator reads and no job may see.
struct SealedPath {
  std::string path;      ///< Absolute after parsing.
  std::string place;     ///< Below the evaluator's working directory.
  std::string identity;  ///< What it must be; empty: whatever it is when the study is prepared.
  int line = 0;          ///< In the study file.
};
/// One of the evaluator's commands, with what it alone reads.
struct TierSpec {
  CommandTemplate command;
  std::vector<SealedPath> data;
  int looks = 1;  ///< `test`: so many experiments may be scored by it.
};
struct EvaluatorSpec {
  std::vector<Protect> protect;
  std::optional<TierSpec> validation, test;

  /// Null where there is none.
  const TierSpec* tier(Tier) const;
};

/// A file or folder that a stage leaves for later ones, below its output folder or working directory.
struct StageOutput {
  std::string name;  ///< {STAGE.name}
  std::string path;  ///< Relative.
};

/// One step of a run that takes several: a cell of its own factors and those of what it needs, run once per seed, and
/// shared by all runs of later stages that agree with it.
struct StageSpec {
  std::string name;
  std::vector<std::string> needs;  ///< Names of earlier stages.
  CommandTemplate run;
  std::vector<std::string> factors;  ///< Its own.
  std::vector<StageOutput> outputs;
  Resources resources;  ///< The study's, but for what the stage says itself.
};

/// Outputs that are kept as they are instead of being copied.
struct LargeOutput {
  enum class Retain { all, best } retain = Retain::all;  ///< After the study: best is of the best run alone.
  std::string pattern;
};

enum class StudyKind { test, screen, optimize };

/// The factor that a successive halving raises from rung to rung, as it drops candidates.
struct Fidelity {
  std::string factor;  ///< Its levels are numbers.
  int eta = 3;         ///< One candidate in so many goes on.
};

/// StudySpec::agents of a study that is captured.
inline constexpr const char* person_at_work = "person";

struct StudySpec {
  std::string title, question;
  StudyKind kind = StudyKind::test;
  WorkspaceSpec workspace;
  EnvironmentSpec environment;
  std::vector<DataSpec> data;
  CommandTemplate run;            ///< With stages: that of the last.
  std::vector<StageSpec> stages;  ///< In order of need; the last one measures. None: there is only `run`.
  /// `environment.setup`: run once before all else, with what it leaves seen read-only by every run.
  std::optional<StageSpec> setup;
  std::vector<std::string> setup_files;  ///< Files of the workspace on which it depends.
  SetupKey setup_key;                    ///< Known once the study is prepared.
  std::vector<Factor> factors;           ///< In file order.
  std::map<std::string, Scalar> constants;
  std::vector<std::map<std::string, std::vector<std::string>>>
      excludes;                 ///< Each: a cell matching all its entries is left out; an entry lists level names.
  std::vector<Metric> metrics;  ///< In file order; exactly one is primary.
  std::vector<Guard> guards;
  std::vector<Hypothesis> hypotheses;
  Design design;
  EvaluatorSpec evaluator;
  Resources resources;  ///< With stages: those of the last.
  Budget budget;
  std::vector<GateSpec> gates;             ///< In file order.
  std::vector<std::string> keep_outputs;   ///< Globs below the output folder; empty: everything small enough.
  std::vector<LargeOutput> large_outputs;  ///< Globs below the output folder, in file order.
  bool cache = false;                      ///< The same run of an earlier study may stand for one of this.
  std::string agents = "builtin";
  std::uint64_t seed = 1;
  std::string file;                  ///< Where it was read, absolute.
  std::optional<Fidelity> fidelity;  ///< Of optimisations.
  Literature literature;
  std::optional<CodeSpec> code{};  ///< Of optimisations; the factor `code` is there then.
  Extended extends{};

  /// Its work is a person's, and captured as it is done: no role is asked for anything.
  bool captured() const { return agents == person_at_work; }
  const Factor* factor(const std::string& name) const;
  const Metric* metric(const std::string& name) const;
  const Metric& primary() const;
  /// The metric that runs report for it: itself, or what it is derived from.
  const Metric& reported(const Metric&) const;
  bool from_evaluator(const std::string& metric_name) const;
  /// Null for the empty name, and where there is none.
  const StageSpec* stage(const std::string& name) const;
  /// Of a run of that stage; the empty name is the run that measures.
  const CommandTemplate& command_of(const std::string& stage_name) const;
  const Resources& resources_of(const std::string& stage_name) const;
};

/// By itself or by what it requires.
bool is_about(const Hypothesis&, const std::string& metric);

}  // namespace kernel
