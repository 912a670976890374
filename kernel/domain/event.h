#pragma once
// Every fact that the log can hold, named in the past tense. The state is a fold over these events only; docs/events.md
// lists their JSON. New events have the schema version `event_version`; older versions are read, too.

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "kernel/domain/journal.h"
#include "kernel/domain/search_records.h"

namespace kernel {

inline constexpr int event_version = 2;

/// The priorities that a person may give a study.
inline constexpr int least_priority = -10, most_priority = 10;

struct StudyOpened {
  std::string id;
  StudySpec spec;
  std::string text;  ///< The study file's text, unchanged.
  WorkspaceRecord workspace;
  EnvironmentRecord environment;
  std::vector<DataRecord> data;
  int jobs = 1;
  std::string output;  ///< The artifact's destination.
  std::string boot_id;
  std::string reproduces;                     ///< Path of the artifact that this study reproduces; else empty.
  std::string request;                        ///< The client's token, to find the study if the answer was lost.
  std::vector<Predecessor> predecessors{};    ///< Oldest first.
  std::vector<EarlierLooks> earlier_looks{};  ///< Oldest first.
  std::vector<SealedData> sealed{};
  /// SHA-256 of the manifest blob of the copied evaluator data (TIER/PLACE); empty if there is none or it is too large.
  std::string sealed_manifest{};
  std::optional<ReproductionTerms> reproduction{};  ///< None if this is no reproduction, and in older logs.
  /// The evaluator's workspace in a reproduction whose jobs run an agent's code; none: the study's workspace.
  std::optional<WorkspaceRecord> scoring{};
  /// The set-up's workspace, under the same condition.
  std::optional<WorkspaceRecord> set_up_from{};
  std::vector<CodeVersion> versions{};  ///< Reproduction of a search over code: its confirmed versions, without diffs.
  int priority = 0;                     ///< Studies of a greater one start their runs first.
  std::vector<PaidAnswers> answers{};   ///< By name.
  std::vector<EarlierPeak> peaks{};
};
struct HypothesisProposed {
  Hypothesis hypothesis;
  int batch = 1;
  bool exploratory = false;
};
struct ProposalsClosed {
  int family = 1;
};
struct RunsQueued {
  Purpose purpose = Purpose::registered;
  /// Set for registered runs (including repetitions of the control) and runs of a search; else empty.
  ExperimentId experiment;
  std::vector<Cell> cells;
  std::vector<PlannedRun> runs;
  Tier tier{};                          ///< The evaluator command for those that measure.
  std::optional<ScratchOrder> order{};  ///< The command that they run instead of the study's.
  Draw draw{};                          ///< What their seeds and order follow from, if nothing registered gives them.
};
/// The intent to launch, committed before the launch. The token fences the launch.
struct RunStarting {
  int run = 0;
  LaunchToken token;
  Lease lease{};
  int beside = 0;  ///< Other runs that were live on the machine at that time, of any study.
};
struct RunStarted {
  int run = 0;
};
/// The launch never happened (its claim was voided), so the run returns to the queue.
struct RunRequeued {
  int run = 0;
  Reason why;
};
struct RunEnded {
  int run = 0;
  RunState state = RunState::failed;
  JobOutcome outcome;
  Measurement measurement;
  BlobRef out_log, err_log;
  BoxedOptional<BlobRef> usage_over_time{};  ///< CSV: seconds since the launch, processor time so far, the most memory
                                             ///< since the row before.
  BoxedOptional<BlobRef> log_order{};  ///< In which order the lines of both logs came: as docs/run-folder.md says.
  std::vector<OutputFile> outputs;
  LeftOut left_out;
  std::vector<KeptOutput> kept;
  std::string output_digest;  ///< SHA-256 of the job's output; equal digests mean identical outputs.
  Reason reason;
  std::string cached_from;  ///< The identical run of an earlier study whose record this is; no job ran.
  std::string fingerprint;  ///< Equal for failures of one cause; empty after success or if unknown.
  int beside = 0;           ///< The largest number of other runs live at the same time, of any study.
};
/// The circuit breaker: an arm failed in the same way too often in a row, and its waiting runs are given up.
struct ArmStopped {
  ExperimentId experiment;
  std::vector<Cell> cells;
  std::vector<int> runs;  ///< Waiting runs that will never start.
  std::string fingerprint;
  Reason reason;
};
struct ManipulationChecked {
  bool skipped = false;
  std::vector<CheckFinding> findings;
};
struct SampleSized {
  std::vector<SizeRecord> sizes;
  std::vector<Reason> warnings;
};
struct ExperimentRegistered {
  Registration registration;
  std::string hash;
};
/// The plan of a screening or an optimisation: candidates, seeds and the rule that drops them. It precedes all runs.
struct SearchRegistered {
  SearchPlan plan;
  std::string hash;
};
/// The ranking of one rung, and the candidates that continue. It is selection, never a verdict.
struct RungRanked {
  ExperimentId experiment;
  int rung = 1;                       ///< Counts from 1.
  std::vector<Candidate> candidates;  ///< Best first, including the baseline at the rank of its mean.
  std::vector<FactorEffect> effects;  ///< Screenings only; largest effect relative to its standard error first.
  bool last = false;                  ///< The kept candidates go into the confirmation.
  /// Keep or discard, all rankings but the last: the candidates are a version and its base (`Candidate::baseline`).
  std::optional<NoiseFloor> floor{};
  std::vector<Cell> thawed{};  ///< Of earlier rounds, without the fidelity: they go on to the next rung, too.
};
/// The runs contradict a declaration. The report starts with it; hypotheses that depend on it are not concluded.
struct IntegrityFound {
  ExperimentId experiment;
  std::string metric;
  Reason message;
  std::vector<int> runs;  ///< The runs that contradict it.
  bool averted = false;   ///< No value was affected: hypotheses on the metric are concluded, with a warning.
};
struct ExperimentAnalysed {
  ExperimentId experiment;
  std::vector<HypothesisResult> results;
  std::optional<AaResult> aa{};
  std::optional<HypothesisResult> planted{};  ///< Supported if the planted effect was found.
};
/// Opens a batch after the verdicts of the last one: more hypotheses may be proposed, within the rest of the family.
struct BatchOpened {
  int batch = 2;
  Reason why;
};
/// The inputs of the environment's set-up after a change.
struct SetupChange {
  SetupKey key;               ///< StudySpec::setup_key from this event on.
  WorkspaceRecord workspace;  ///< The workspace in which the set-up runs: always a person's code.
};
/// A person changed the code. The registered experiment ends; its hypotheses are checked, sized and registered again.
struct WorkspaceAmended {
  std::string why;
  WorkspaceRecord workspace;
  ExperimentId experiment;  ///< The experiment that ends; empty if none was registered.
  bool seen = false;        ///< One of its runs had reported the primary metric, so its hypotheses count as new ones.
  std::vector<int> runs;    ///< Waiting runs that will never start; live runs are killed.
  std::optional<SetupChange> setup{};  ///< None: the environment is not set up again.
  /// What an agent changed; none for a person's code and in older logs.
  std::optional<CodeAmendment> amendment{};
};
/// Original and amended code were run on the same seeds at settings of which the findings say nothing.
struct CodeCompared {
  WorkspaceHash original, amended;
  Reason unchecked{};  ///< Why they could not be compared; empty if they were.
  std::vector<ComparedValue> values;
  std::vector<NoisyShift> noisy;

  /// True if the value moved and its metric repeats itself.
  bool moved(const ComparedValue& value) const {
    return value.moved() && std::ranges::find(noisy, value.metric, &NoisyShift::metric) == noisy.end();
  }
};
/// The hypothesis keeps its place in the family, with p = 1.
struct HypothesisWithdrawn {
  HypothesisId hypothesis;
  Reason why;
  std::vector<int> runs;  ///< Runs that only this hypothesis needed and that will never start.
};
/// A registered analysis before all runs of the experiment have ended. Its verdicts are final.
struct InterimLook {
  ExperimentId experiment;
  int number = 1;                         ///< Counts from 1.
  double share = 0;                       ///< Of every cell's replicates.
  std::vector<HypothesisResult> results;  ///< Results of the hypotheses that it decides.
  std::vector<HypothesisId> going_on;     ///< Ids of the hypotheses whose runs continue.
};
struct NodeRecorded {
  Node node;
};
struct ClaimRecorded {
  Claim claim;
};
struct StudyPaused {
  PauseReason reason = PauseReason::other;
  Reason detail;
};
struct StudyResumed {
  std::string boot_id;
  int jobs = 0;                   ///< 0: unchanged.
  Budget raised;                  ///< Only members that are set change the budget.
  std::optional<int> priority{};  ///< None: unchanged.
};
/// No run starts any more and live runs are killed; then the study concludes as cancelled.
struct CancellationRequested {
  Reason why;
  std::vector<int> runs;  ///< Waiting runs that will never start.
};
/// The intent to kill one run.
struct RunCancellationRequested {
  int run = 0;
};
/// The events before this one were copied from another study, up to a point; later events belong to this study alone.
struct StudyForked {
  std::string from;
  std::int64_t seq = 0;       ///< The last copied event, by its number in the store at that time.
  std::string head;           ///< Hash of that event.
  std::vector<int> requeued;  ///< Runs that were live then; their jobs belong to the other study.
  int looks = 0;              ///< Looks at the test data by the other study after that point; they count here, too.
  /// Known results at that time: of the other study after that point, and of other studies since it was opened.
  std::vector<Predecessor> predecessors{};
  /// Slots of the family that were registered after that point, by the other study and by its other forks.
  int slots = 0;
};
struct StudySteered {
  std::string text;
};
struct GateOpened {
  Gate gate;
};
struct GateDecided {
  std::string gate;
  bool approved = false;
  Reason why;
  std::string edited{};  ///< Arguments that replace those of the tool call.
};
/// The study's results are complete; only packaging remains.
struct StudyConcluded {
  StudyOutcome outcome = StudyOutcome::concluded;
  Reason detail;
};
/// What the artifact has and the log does not give: pictures, the ends of long logs, the pages of a reproduction.
/// Logged before the head that the artifact carries, so that a replaced file is noticed.
struct PicturesDrawn {
  std::vector<OutputFile> files;  ///< Paths within the artifact.
  std::string trouble;            ///< Why pictures are missing; empty if none is.
};
/// `head`: the chain head that the artifact carries. The few later events only record the artifact's location.
struct ArtifactPackaged {
  std::string path, report, head;
};
struct StudyEnded {
  StudyOutcome outcome = StudyOutcome::concluded;
  Reason detail;
};

/// A role's turn began. `role`: the role that works. `about`: the subject in words, for people.
struct LineOpened {
  std::string line, role, about;
  LineSubject subject{};
  bool upcast = false;  ///< Of an older log with `about` only: the codec derived the subject; not stored.
};
struct LineEnded {
  std::string line;
  Reason ending;  ///< The agent's closing words, or why the turn was ended.
};
/// The intent to call a model, committed before the call; tokens and money are reserved.
struct ModelAsked {
  int call = 0;
  std::string line, model;
  BlobRef request;
  std::int64_t tokens = 0;
  double usd = 0;
  Reason instead{};                ///< Why another model than the role's is asked.
  std::vector<ReadLines> shown{};  ///< Lines of files that the task in it quotes; empty after the first request.
  AskedAs as{};
};
/// Committed before the reply is used.
struct ModelAnswered {
  int call = 0;
  CallEnd end;
};
/// The call's request is in a batch of its provider, so its reply may be taken up by any later program. Without a
/// batch: it is in none any more.
struct CallBatched {
  int call = 0;
  std::string batch;          ///< CallBatch::id
  std::string service;        ///< CallBatch::service
  std::int64_t until_ms = 0;  ///< CallBatch::until_ms
};
/// Committed together with the tool's effects on the study, if any.
struct ToolReturned {
  int call = 0;
  ToolReturn answer;
};

struct NoteTaken {
  std::string text;
};
/// A new requirement, or one bound to another place; earlier judgements of it no longer count.
struct RequirementBound {
  StudyRequirement requirement;
};
struct RequirementJudged {
  std::string requirement;
  bool met = false;
  std::string why;
};
struct SectionWritten {
  Section section;
};

/// One round of work for engineers. Without steps, the search over code ends and open steps are given up.
struct CodePlanned {
  int round = 1;
  std::vector<CodeStep> steps;
  Reason over{};  ///< Why no further round is planned.
};
/// A new version of the code, before its first run.
struct CodeProposed {
  CodeVersion version;
};

template <typename, typename... Types>
struct VariantOf {
  using type = std::variant<Types...>;
};

/// For visitors that list the events that they ignore, so that a new event cannot be omitted by accident.
template <typename T, typename... Types>
concept OneOf = (std::is_same_v<T, Types> || ...);

#define ETUDE_EVENT(Type, ...) , Type
using EventVariant = VariantOf<void
#include "kernel/domain/events.def"
                               >::type;

/// One event. Constructors are out of line: a variant of so many types would be compiled again in every user.
struct EventBody : EventVariant {
#define ETUDE_EVENT(Type, ...) EventBody(Type);
#include "kernel/domain/events.def"
  EventBody(const EventBody&);
  EventBody(EventBody&&) noexcept;
  EventBody& operator=(const EventBody&);
  EventBody& operator=(EventBody&&) noexcept;
  ~EventBody();
};

struct Event {
  std::string study;
  std::string actor;  ///< `person_actor`, `kernel_actor`, or an agent's role.
  Time at;
  EventBody body;
};

}  // namespace kernel
