#pragma once
// The complete state of the kernel: a fold over events. The kernel thread owns it; other threads get copies or JSON.
// Rules take only the part of a study that they read, so that their signatures show their dependencies.

#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel/domain/enum_names.h"
#include "kernel/domain/event.h"

namespace kernel {

struct Run {
  int number = 0;
  Purpose purpose = Purpose::registered;
  ExperimentId experiment;
  int cell = 0;     ///< Index into Study::cells.
  int account = 0;  ///< Index into Study::accounts: the account that is charged.
  std::uint64_t seed = 0;
  int replicate = 0;
  int retry_of = 0;
  int attempt = 1;
  std::string label;
  std::string stage;       ///< An earlier stage's name; empty if the run measures.
  std::vector<int> needs;  ///< As planned; a retry of such a run replaces it.
  int continues = 0;       ///< PlannedRun::continues
  Tier tier{};             ///< The evaluator command that scores it.
  int retried_as = 0;      ///< Number of the next attempt.
  RunState state = RunState::queued;
  LaunchToken token;
  Lease lease;
  int beside = 0;           ///< The largest number of other runs live at the same time.
  bool superseded = false;  ///< Replaced by a retry: shown, but never evidence.
  std::int64_t started_ms = 0, ended_ms = 0;
  JobOutcome outcome;
  Measurement measurement;
  BlobRef out_log, err_log;
  BoxedOptional<BlobRef> usage_over_time;  ///< RunEnded::usage_over_time
  BoxedOptional<BlobRef> log_order;        ///< RunEnded::log_order
  std::vector<OutputFile> outputs;
  LeftOut left_out;
  std::vector<KeptOutput> kept;
  std::string output_digest;
  Reason reason;
  std::string fingerprint;
  std::string cached_from;  ///< RunEnded::cached_from

  bool ended() const { return is_end(state); }
  /// True if the run counts for or against a hypothesis: a registered run with a final outcome, good or bad.
  bool evidence() const {
    return purpose == Purpose::registered && stage.empty() && !superseded && ended() && state != RunState::lost &&
           state != RunState::cancelled;
  }
};

struct HypothesisRecord {
  Hypothesis hypothesis;
  int batch = 1;
  bool exploratory = false;
  ExperimentId experiment;
  std::optional<HypothesisResult> result;
  Reason withdrawn{};  ///< Empty if it was not withdrawn.
};

/// Cells of one side of a hypothesis, and the number of consecutive runs that failed in the same way.
struct Arm {
  std::vector<int> cells;  ///< Indices into Study::cells.
  std::string fingerprint;
  int streak = 0;
  bool stopped = false;
};

struct GateRecord {
  Gate gate;
  std::int64_t opened_ms = 0;
  bool decided = false, approved = false;
  Reason why;
  std::string by;
  std::string edited{};          ///< GateDecided::edited
  bool stale = false;            ///< True if the code that it approved was amended: the gate applies again.
  std::int64_t waits_since = 0;  ///< Boot clock, ms.
};

struct Experiment {
  Registration registration;
  std::string hash;
  std::int64_t registered_ms = 0;
  int pending = 0;  ///< Number of runs that have not ended.
  bool analysed = false;
  bool amended = false;  ///< Its code was amended before the analysis, so it never gets verdicts.
  int planned = 0;       ///< Number of times that runs were queued: equal to the number of looks, or one more.
  std::vector<std::vector<HypothesisId>> going_on;  ///< InterimLook::going_on of each look.
  std::optional<AaResult> aa;
  std::optional<HypothesisResult> planted;
  std::vector<Arm> arms;
};

/// Progress of a registered screening or optimisation.
struct Search {
  SearchPlan plan;
  std::string hash;
  std::int64_t registered_ms = 0;
  int pending = 0;  ///< Number of runs that have not ended.
  int queued = 0;   ///< Number of rungs whose runs were planned.
  int runs = 0;
  std::vector<RungRanked> ranked;

  bool done() const { return !ranked.empty() && ranked.back().last; }
};

/// Progress of a search over code: the steps for engineers and their versions.
struct CodeSearch {
  int round = 0;
  std::vector<CodeStep> steps;
  std::vector<CodeVersion> versions;
  std::vector<KnownScore> known;  ///< Scores when the last round was planned.
  std::optional<double> noise;    ///< `noise_of_versions` then.
  Reason over;                    ///< CodePlanned::over

  const CodeStep* step(const std::string& id) const { return find_by(steps, &CodeStep::id, id); }
  const CodeVersion* version(const std::string& id) const { return find_by(versions, &CodeVersion::id, id); }
};

/// Energy of the runs that had counters.
struct EnergySpent {
  double joules = 0;
  int runs = 0;           ///< Number of runs with counters.
  bool exclusive = true;  ///< No windows overlapped, so the sum counts nothing twice.
};

/// Amounts used by one role on one branch of the exploration.
struct Account {
  std::string role;        ///< The role that ordered the runs; a retry is charged to the role of the first attempt.
  std::string branch;      ///< The experiment, or else the purpose of the runs.
  std::int64_t runs = 0;   ///< Runs that ended after a launch, whatever their end.
  double run_seconds = 0;  ///< Sum of their jobs' wall times.
  double gpu_seconds = 0;  ///< Sum over their jobs of devices times wall time.
  std::optional<EnergySpent> energy{};
  std::int64_t calls = 0;   ///< Ended model calls.
  std::int64_t tokens = 0;  ///< Tokens of those calls.
  double usd = 0;
  std::int64_t prompt_tokens = 0;  ///< Of `tokens`: of their prompts.
  std::int64_t cached_tokens = 0;  ///< Of `prompt_tokens`: read from the provider's cache.
};

/// Replies that one model gave when it was asked in one way, and that state the same origin.
struct AnsweredAs {
  AskedAs as;
  ReplyOrigin origin;
  std::int64_t calls = 0;
};

/// Calls whose provider states fewer tokens than their texts can be, added up.
struct UnderstatedCalls {
  std::int64_t calls = 0;
  std::int64_t stated = 0;   ///< Tokens.
  std::int64_t least = 0;    ///< The fewest tokens that their texts can be.
  std::int64_t charged = 0;  ///< Tokens that were charged for them.
};

/// The ended calls of one model in one role. Tokens and dollars are those that were charged.
struct ModelUse {
  std::string role;
  std::string model;  ///< The name in the configuration.
  std::int64_t calls = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;  ///< Of `prompt_tokens`: read from the provider's cache.
  std::int64_t output_tokens = 0;
  double usd = 0;
  std::int64_t unpriced = 0;          ///< Of `calls`: those whose price is not known, which add nothing to `usd`.
  std::vector<AnsweredAs> answers{};  ///< In the order of their first replies; none of calls in older logs.
  UnderstatedCalls understated{};
};

/// Kept up to date, so that queries need not count runs.
struct RunCounts {
  std::array<int, EnumNames<RunState>::all.size()> in{};
  int scratch = 0;  ///< Smoke, pilot and scratch runs, without those of a search.
  int cached = 0;   ///< Runs whose record came from an earlier study.
};

struct Batch {
  int number = 1;
  int runs_before = 0;                   ///< Number of runs when it was opened.
  std::vector<SizeRecord> sizes_before;  ///< Sizes of earlier batches.
  int amended_at = 0;                    ///< Number of runs when the code was last amended.
};

/// Looks at the test data in addition to those of the study's own experiments.
struct TestLooks {
  int elsewhere = 0;                  ///< By the studies that it was forked from, after the fork.
  int inherited = 0;                  ///< By those studies before the fork; their experiments are among its own.
  std::vector<EarlierLooks> earlier;  ///< By other studies of the home.
};

/// The question, the code and the data.
struct StudyTerms {
  std::string id;
  StudySpec spec;
  std::string text;
  WorkspaceRecord workspace;
  WorkspaceRecord scoring;                     ///< The evaluator's workspace: the newest that a person wrote.
  std::optional<WorkspaceRecord> set_up_from;  ///< The set-up's workspace; none: the study's workspace.
  EnvironmentRecord environment;
  std::vector<DataRecord> data;
  std::vector<SealedData> sealed;
  std::string sealed_manifest;  ///< StudyOpened::sealed_manifest
  std::vector<PaidAnswers> answers;
  int jobs = 1;
  int priority = 0;  ///< StudyOpened::priority
  std::string output;
  std::string reproduces;
  std::optional<ReproductionTerms> reproduction;  ///< StudyOpened::reproduction
  std::string request;
  std::optional<StudyForked> fork;  ///< Set if it is a fork.
  std::vector<Predecessor> predecessors;
  TestLooks test_looks;
  std::vector<CodeAmendment> amendments;  ///< By agents, oldest first.
  CodeSearch code;                        ///< Only for optimisations over versions of the code.

  /// What an agent changed in the present code; null if a person wrote it, or if nothing was recorded.
  const CodeAmendment* amendment() const;
  /// The workspace of a run in this cell: that of the version that the cell names, or else the study's.
  const WorkspaceRecord& workspace_of(const Cell&) const;
  std::string run_id(int number) const { return id + "-r" + std::to_string(number); }
};

/// The state of the study as a whole, and its outcome.
struct Lifecycle {
  StudyState state = StudyState::running;
  std::optional<PauseReason> pause_reason;  ///< Of its last pause; none once it is resumed.
  Reason pause_detail;
  bool cancelling = false;
  Reason cancel_why;
  std::optional<StudyOutcome> outcome;
  Reason outcome_detail;
  std::string artifact, report, sealed_head;
  std::optional<PicturesDrawn> pictures;  ///< Of the artifact that has or will have `sealed_head`.
  std::int64_t opened_ms = 0, ended_ms = 0;
};

struct Hypotheses {
  std::vector<HypothesisRecord> hypotheses;
  bool proposals_closed = false;  ///< For the present batch.
  int family = 0;                 ///< Fixed with the first batch; 0 before that.
  Batch batch;

  const HypothesisRecord* hypothesis(const HypothesisId& id) const;
  /// The hypotheses of the batch that must be tested.
  std::vector<const HypothesisRecord*> open_batch() const;
};

/// Checks, sizes, searches and experiments: the plans of runs and their results.
struct Experiments {
  bool asked_smoke = false, asked_pilot = false;
  int pending_smoke = 0, pending_pilot = 0;  ///< Number of runs that have not ended.
  std::optional<ManipulationChecked> check;
  int comparison_parts = 0;    ///< How often runs were queued that compare original and amended code.
  int pending_comparison = 0;  ///< Number of runs that have not ended.
  std::optional<CodeCompared> compared;
  std::optional<SampleSized> sized;  ///< For the present batch.
  std::optional<Search> search;      ///< Only for screenings and optimisations.
  std::vector<Experiment> experiments;
  std::vector<IntegrityFound> integrity;
  std::vector<ArmStopped> stopped_arms;

  const Experiment* experiment(const ExperimentId& id) const;
};

/// The runs of a cell, or of its stage.
struct CellRuns {
  int cell = 0;  ///< Index into Study::cells.
  std::string stage;
  auto operator<=>(const CellRuns&) const = default;
};

/// The most memory that one of them took: of its processes together, and of one device. 0 if it is not known.
struct MemoryPeak {
  std::int64_t bytes = 0, gpu_bytes = 0;
};

/// What a run that succeeded was expected to take, and what it took: its processes together, or one of its devices.
struct MemoryOutcome {
  int run = 0;
  bool on_device = false;
  std::int64_t forecast_bytes = 0, peak_bytes = 0;
};
/// More outcomes are not kept.
inline constexpr std::size_t most_memory_outcomes = 256;

/// All runs, and which of them are queued, blocked, live or to be killed.
struct RunBoard {
  std::vector<Cell> cells;
  std::map<Cell, int> cell_numbers;             ///< The inverse of `cells`.
  std::deque<Run> runs;                         ///< runs[i].number == i + 1. A deque grows without moving its elements.
  std::deque<int> queue;                        ///< Numbers of queued runs whose needs are met, in launch order.
  std::set<int> blocked;                        ///< Numbers of queued runs that wait for earlier stages.
  std::map<int, std::vector<int>> waiting_for;  ///< Newest attempt of an earlier stage's run → runs that wait for it.
  std::set<int> live;                           ///< Numbers of starting and running runs.
  std::set<int> to_kill;                        ///< Numbers of live runs that must be cancelled.
  std::map<int, std::int64_t> delayed;          ///< Queued retries with a delay → earliest start, boot clock.
  std::int64_t waiting_since_ms = 0;            ///< Boot clock: start of the wait of the queue's head.
  RunCounts counted;
  std::map<CellRuns, MemoryPeak> peaks;       ///< Of runs of the study's command that succeeded with its present code.
  std::vector<EarlierPeak> earlier_peaks;     ///< Of earlier studies with the study's present code.
  std::deque<MemoryOutcome> memory_outcomes;  ///< The newest.

  const Run* run(int number) const;
  /// The newest attempt in the run's chain.
  const Run& latest(const Run&) const;
  /// Numbers of the runs that wait for this one; some may have ended.
  const std::vector<int>& dependants(int number) const;
};

/// Wall time: the sum of closed sessions, and the open session's start on the boot clock.
struct WallClock {
  std::int64_t wall_closed_ms = 0, session_start_ms = 0, last_boot_ms = 0;
  bool session_open = true;  ///< While it is running, or paused with live runs.
  std::string boot_id;

  double wall_spent_s() const;  ///< Up to the last event.
};

/// Questions to people and models, and their answers.
struct Journal {
  std::vector<GateRecord> gates;
  std::vector<std::string> steering;  ///< Messages of people to the agents.
  Thinking thinking;

  /// The gate that blocks the whole study until a person decides.
  const GateRecord* waiting_gate() const;
  /// The gate before one tool call; null if there is none.
  const GateRecord* gate_of(int call, const std::string& tool_call) const;
};

/// The event that tells of something: its place in the study's log, from 1, and its time.
struct Origin {
  std::int64_t number = 0, wall_ms = 0;
};

/// The published results: the exploration graph and the claims.
struct Exploration {
  std::vector<Node> nodes;
  std::vector<Claim> claims;
  /// Where the log tells of what an artifact's graph shows: by node ("N05"), result ("E01"), rung ("rung 2"), gate
  /// ("gate g1"), message of a person ("message 1"), agent's change of code ("code 1") and fork ("fork").
  std::map<std::string, Origin> origins;
  std::int64_t events = 0;  ///< Of the study, so far.
};

struct Ledger {
  std::vector<Account> accounts;  ///< In the order of first use.
  std::vector<ModelUse> models;   ///< In the order of first use.
};

/// A study consists of its parts; the functions here need several of them.
struct Study : StudyTerms, Lifecycle, Hypotheses, Experiments, RunBoard, WallClock, Journal, Exploration, Ledger {
  /// The wording of its nodes and of all that is composed from it: the artifact's if it was read from one. No part of
  /// the fold, so snapshots do not hold it.
  int wording = wording_version;

  /// Calls `each` with every part of a study, const or not, in the order in which snapshots store them.
  template <typename S, typename Each>
  static void each_part(S& study, const Each& each) {
    const auto parts = [&]<typename... Part>(Part*...) {
      (each(static_cast<std::conditional_t<std::is_const_v<S>, const Part, Part>&>(study)), ...);
    };
    parts(static_cast<StudyTerms*>(nullptr), static_cast<Lifecycle*>(nullptr), static_cast<Hypotheses*>(nullptr),
          static_cast<Experiments*>(nullptr), static_cast<RunBoard*>(nullptr), static_cast<WallClock*>(nullptr),
          static_cast<Journal*>(nullptr), static_cast<Exploration*>(nullptr), static_cast<Ledger*>(nullptr));
  }

  Phase phase() const;
  /// True if an agent's code passed its check and was not compared with the original yet.
  bool comparison_due() const;
  /// Hashes of the present workspace and of all workspaces with a registration.
  std::set<std::string> workspaces() const;
  /// Of all batches, earlier ones first.
  std::vector<SizeRecord> all_sizes() const;
  /// True if it ended, or is paused with no live run or model call that a program waits for. Captured: nothing is live
  /// or will start.
  bool at_rest() const {
    if (spec.captured() && !outcome && !cancelling)
      return live.empty() && (queue.empty() || state != StudyState::running);
    return state != StudyState::running && live.empty() && (state == StudyState::ended || thinking.awaited() == 0);
  }
  /// The order behind a scratch run; null if the run uses the study's own command.
  const ScratchOrder* order_of(const Run&) const;
  /// True if the line waits for a person's decision or for the end of a run that it ordered.
  bool rests(const LineOfWork&) const;
  const Resources& resources_of(const Run&) const;
};

/// True if all runs that it needs have succeeded.
bool needs_met(const RunBoard&, const Run&);
/// True if the run, or one that waits for it, belongs to the arm.
bool concerns(const RunBoard&, const Arm&, const Run&);
/// Number of the first run of a chain of attempts.
int first_attempt(const RunBoard&, const Run&);
/// NUMBER of STUDY-rNUMBER, or 0.
int run_number(const std::string& run_id);
/// STUDY of STUDY-rNUMBER, or empty.
std::string run_study(const std::string& run_id);

struct State {
  std::map<std::string, Study> studies;

  Study* study(const std::string& id);
  const Study* study(const std::string& id) const;
};

/// Applies one event, live and in replays. Pure. Throws std::logic_error if the event breaks an invariant.
void apply(State&, const Event&);

}  // namespace kernel
