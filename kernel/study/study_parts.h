#pragma once
// The parts that a study's state consists of. A rule takes the part that it reads, so that its signature says what it
// depends on.

#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/domain/enum_names.h"
#include "kernel/domain/event.h"
#include "kernel/study/run.h"

namespace kernel {

struct HypothesisRecord {
  Hypothesis hypothesis;
  int batch = 1;
  bool exploratory = false;
  std::string experiment;
  std::optional<HypothesisResult> result;
  std::string withdrawn{};  ///< Why; empty: it was not.
};

/// Cells that one side of a hypothesis rests on, and how often in a row their runs failed in the same way.
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
  std::string why, by;
  std::string edited{};          ///< GateDecided::edited
  bool stale = false;            ///< The code that it was approved for was amended: it stands again.
  std::int64_t waits_since = 0;  ///< Boot clock, ms.
};

struct Experiment {
  Registration registration;
  std::string hash;
  std::int64_t registered_ms = 0;
  int pending = 0;  ///< Runs not ended yet.
  bool analysed = false;
  bool amended = false;  ///< Its code was amended before it was analysed: it has no verdicts, and never will.
  int planned = 0;       ///< How often runs were queued: one time more than it was looked at, or as often.
  std::vector<std::vector<std::string>> going_on;  ///< Of each look taken: InterimLook::going_on.
  std::optional<AaResult> aa;
  std::optional<HypothesisResult> planted;
  std::vector<Arm> arms;
};

/// A registered screening or optimisation, as far as it got.
struct Search {
  SearchPlan plan;
  std::string hash;
  std::int64_t registered_ms = 0;
  int pending = 0;  ///< Runs not ended yet.
  int queued = 0;   ///< Rungs whose runs were planned.
  int runs = 0;
  std::vector<RungRanked> ranked;

  bool done() const { return !ranked.empty() && ranked.back().last; }
};

/// What engineers were asked for and what they wrote, as far as a search over code got.
struct CodeSearch {
  int round = 0;
  std::vector<CodeStep> steps;
  std::vector<CodeVersion> versions;
  std::vector<KnownScore> known;  ///< When the last round was planned.
  std::string over;               ///< CodePlanned::over

  const CodeStep* step(const std::string& id) const;
  const CodeVersion* version(const std::string& id) const;
};

/// What the runs used that had energy counters.
struct EnergySpent {
  double joules = 0;
  int runs = 0;           ///< Those that had one.
  bool exclusive = true;  ///< No window overlapped another: the sum counts nothing twice.
};

/// What one role spent on one branch of the exploration.
struct Account {
  std::string role;        ///< Who asked for the runs; a retry is paid by who asked for the first attempt.
  std::string branch;      ///< The experiment, else what the runs were for.
  std::int64_t runs = 0;   ///< Those that ended after they had been launched, whatever their end.
  double run_seconds = 0;  ///< Of those: their jobs' wall time, one added to the other.
  double gpu_seconds = 0;  ///< Of those: devices times time.
  std::optional<EnergySpent> energy{};
  std::int64_t calls = 0;   ///< Of models, that ended.
  std::int64_t tokens = 0;  ///< That those took.
  double usd = 0;
};

/// Kept, so that no answer counts them.
struct RunCounts {
  std::array<int, EnumNames<RunState>::all.size()> in{};
  int scratch = 0;  ///< Smoke, pilot and scratch; those of a search count by themselves.
  int cached = 0;   ///< Those that came back from an earlier study.
};

/// The hypotheses that are worked on together.
struct Batch {
  int number = 1;
  int runs_before = 0;                   ///< How many runs there were when it was opened.
  std::vector<SizeRecord> sizes_before;  ///< Of earlier batches.
  int amended_at = 0;                    ///< How many runs there were when the code was last amended.
};

/// At the test data, beside those of the study's own experiments.
struct TestLooks {
  int elsewhere = 0;                  ///< By the studies that it was forked from, after that.
  int inherited = 0;                  ///< By them before: their experiments are among its own.
  std::vector<EarlierLooks> earlier;  ///< By other studies of the home.
};

/// What was asked, and of which code and data.
struct StudyTerms {
  std::string id;
  StudySpec spec;
  std::string text;
  WorkspaceRecord workspace;
  WorkspaceRecord scoring;                     ///< What an evaluator has a copy of: the newest that a person wrote.
  std::optional<WorkspaceRecord> set_up_from;  ///< Where the set-up runs; none: in the workspace.
  EnvironmentRecord environment;
  std::vector<DataRecord> data;
  std::vector<SealedData> sealed;
  std::string sealed_manifest;  ///< StudyOpened::sealed_manifest
  int jobs = 1;
  std::string output;
  std::string reproduces;
  std::optional<ReproductionTerms> reproduction;  ///< StudyOpened::reproduction
  std::string request;
  std::optional<StudyForked> fork;  ///< Where it came from.
  std::vector<Predecessor> predecessors;
  TestLooks test_looks;
  CodeSearch code;  ///< Of optimisations over versions of the code.

  /// What such a cell runs: a version of the code, where it names one; else the workspace.
  const WorkspaceRecord& workspace_of(const Cell&) const;
  std::string run_id(int number) const;
};

/// Where the study stands as a whole, and how it ended.
struct Lifecycle {
  StudyState state = StudyState::running;
  std::string pause_reason;
  Reason pause_detail;
  bool cancelling = false;
  std::string cancel_why;
  std::optional<StudyOutcome> outcome;
  Reason outcome_detail;
  std::string artifact, report, sealed_head;
  std::int64_t opened_ms = 0, ended_ms = 0;
};

/// Every hypothesis, and the batch that is worked on.
struct Hypotheses {
  std::vector<HypothesisRecord> hypotheses;
  bool proposals_closed = false;  ///< Of the batch.
  int family = 0;                 ///< Fixed with the first batch; 0 before.
  Batch batch;

  const HypothesisRecord* hypothesis(const std::string& hypothesis_id) const;
  /// The hypotheses of the batch that are to be tested.
  std::vector<const HypothesisRecord*> open_batch() const;
};

/// Checks, sizes, selections and experiments: everything that plans runs, and what those showed.
struct Experiments {
  bool asked_smoke = false, asked_pilot = false;
  int pending_smoke = 0, pending_pilot = 0;  ///< Runs not ended yet.
  std::optional<ManipulationChecked> check;
  std::optional<SampleSized> sized;  ///< Of the batch.
  std::optional<Search> search;      ///< Of screenings and optimisations.
  std::vector<Experiment> experiments;
  std::vector<IntegrityFound> integrity;
  std::vector<ArmStopped> stopped_arms;
};

/// Every run, and what may start, waits, lives or is to be killed.
struct RunBoard {
  std::vector<Cell> cells;
  std::map<Cell, int> cell_numbers;             ///< The inverse of `cells`.
  std::deque<Run> runs;                         ///< runs[i].number == i + 1; a deque, for it grows without moving them.
  std::deque<int> queue;                        ///< Numbers of queued runs that need nothing more, in launch order.
  std::set<int> blocked;                        ///< Numbers of queued runs that wait for earlier stages.
  std::map<int, std::vector<int>> waiting_for;  ///< Run of an earlier stage, its newest attempt → who waits for it.
  std::set<int> live;                           ///< Numbers of starting and running runs.
  std::set<int> to_kill;                        ///< Those of the live ones that are to be cancelled.
  std::map<int, std::int64_t> delayed;          ///< Queued retries that wait a while: when each may start, boot clock.
  std::int64_t waiting_since_ms = 0;            ///< Boot clock: since when the head of the queue waits.
  RunCounts counted;

  const Run* run(int number) const;
  /// The newest attempt of the chain that the run is in.
  const Run& latest(const Run&) const;
  /// Numbers of the runs that wait for this one; some may have ended since.
  const std::vector<int>& dependants(int number) const;
};

/// Wall time: closed sessions, and where the open one stands on the boot clock.
struct WallClock {
  std::int64_t wall_closed_ms = 0, session_start_ms = 0, last_boot_ms = 0;
  bool session_open = true;  ///< While it is running, or paused with runs that still live.
  std::string boot_id;

  double wall_spent_s() const;  ///< Up to the last event.
};

/// What people and models were asked, and what they answered.
struct Journal {
  std::vector<GateRecord> gates;
  std::vector<std::string> steering;  ///< What people said to the agents.
  Thinking thinking;

  /// The gate at which the whole study waits to be decided.
  const GateRecord* waiting_gate() const;
  /// The gate before one tool call; null: none stands there.
  const GateRecord* gate_of(int call, const std::string& tool_call) const;
};

/// What the study says: the exploration graph and the claims.
struct Exploration {
  std::vector<Node> nodes;
  std::vector<Claim> claims;
};

/// Who used how much of the budget.
struct Ledger {
  std::vector<Account> accounts;  ///< In the order of their first runs.
};

}  // namespace kernel
