#pragma once
// Everything that can happen, in the past tense. State is a fold over these and nothing else; docs/events.md lists
// their JSON. An event's schema version is `event_version`; older ones are read, too.

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "kernel/domain/journal.h"
#include "kernel/domain/search_records.h"

namespace kernel {

inline constexpr int event_version = 2;

struct StudyOpened {
  std::string id;
  StudySpec spec;
  std::string text;  ///< The study file, byte for byte.
  WorkspaceRecord workspace;
  EnvironmentRecord environment;
  std::vector<DataRecord> data;
  int jobs = 1;
  std::string output;  ///< Where the artifact goes.
  std::string boot_id;
  std::string reproduces;  ///< Path of the artifact this study re-runs; else empty.
  std::string request;     ///< A word of whoever started it, by which it is found again if the answer got lost.
  std::vector<Predecessor> predecessors{};    ///< Oldest first.
  std::vector<EarlierLooks> earlier_looks{};  ///< Oldest first.
  std::vector<SealedData> sealed{};
  /// SHA-256 of the manifest of copies of it, TIER/PLACE, which is a blob; empty: none, or too large to be copied.
  std::string sealed_manifest{};
  std::optional<ReproductionTerms> reproduction{};  ///< None where it reproduces nothing, and in older logs.
  /// What an evaluator has a copy of, where it reproduces a study whose jobs ran what an agent wrote; else the
  /// workspace.
  std::optional<WorkspaceRecord> scoring{};
  /// Where it is set up, likewise.
  std::optional<WorkspaceRecord> set_up_from{};
  std::vector<CodeVersion> versions{};  ///< Where it reproduces a search over code: what that confirmed, without diffs.
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
  /// Empty unless registered, or of a search; the control's repetitions stand among the registered runs.
  std::string experiment;
  std::vector<Cell> cells;
  std::vector<PlannedRun> runs;
  Tier tier{};                          ///< What scores those of them that measure.
  std::optional<ScratchOrder> order{};  ///< What they run instead of the study's command.
};
/// The intent to launch, committed before the launch; the token fences it.
struct RunStarting {
  int run = 0;
  LaunchToken token;
  Lease lease{};
  int beside = 0;  ///< Other runs that lived on the machine then, of any study.
};
struct RunStarted {
  int run = 0;
};
/// The launch never happened (its claim was voided): back to the queue.
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
  std::vector<OutputFile> outputs;
  LeftOut left_out;
  std::vector<KeptOutput> kept;
  std::string output_digest;  ///< SHA-256 over what the job produced; equal digests mean identical outputs.
  Reason reason;
  std::string cached_from;  ///< The run of an earlier study that was the same, whose record this is; nothing was run.
  std::string fingerprint;  ///< Failures of one cause have one; empty: it succeeded, or nothing is known.
  int beside = 0;           ///< The most other runs that lived beside it at once, of any study.
};
/// The circuit breaker: an arm failed the same way too often in a row, and its waiting runs are given up.
struct ArmStopped {
  std::string experiment;
  std::vector<Cell> cells;
  std::vector<int> runs;  ///< Those that waited and never start.
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
/// Before the first run of a screening or an optimisation: what it will try, on which seeds, and by which rule it
/// drops.
struct SearchRegistered {
  SearchPlan plan;
  std::string hash;
};
/// What the runs of one rung say, and what goes on. Selection, never a verdict.
struct RungRanked {
  std::string experiment;
  int rung = 1;                       ///< Counts from 1.
  std::vector<Candidate> candidates;  ///< Best first; a baseline stands where its mean puts it.
  std::vector<FactorEffect> effects;  ///< Of screenings, the largest for its standard error first.
  bool last = false;                  ///< What is kept is carried into the confirmation.
};
/// The runs contradict what the study declares. Heads the report; what rests on the declaration concludes nothing.
struct IntegrityFound {
  std::string experiment;
  std::string metric;
  Reason message;
  std::vector<int> runs;  ///< The runs that show it.
  bool averted = false;   ///< It had no effect on any value: what rests on the metric is concluded, with a warning.
};
struct ExperimentAnalysed {
  std::string experiment;
  std::vector<HypothesisResult> results;
  std::optional<AaResult> aa{};
  std::optional<HypothesisResult> planted{};  ///< Supported: the planted effect was found.
};
/// After the verdicts of one batch: more hypotheses may be proposed, in what is left of the family.
struct BatchOpened {
  int batch = 2;
  std::string why;
};
/// From what an environment is set up once that changed.
struct SetupChange {
  SetupKey key;               ///< StudySpec::setup_key from then on.
  WorkspaceRecord workspace;  ///< Where the set-up runs: a person's code, whoever wrote what it depends on.
};
/// A person mended the code: what was registered for the old one ends, and is checked, sized and registered anew.
struct WorkspaceAmended {
  std::string why;
  WorkspaceRecord workspace;
  std::string experiment;  ///< That it ends; empty: none was registered.
  bool seen = false;       ///< A run of it had given a value of the primary metric: its hypotheses are new ones then.
  std::vector<int> runs;   ///< Those that waited and never start; what lives is killed.
  std::optional<SetupChange> setup{};  ///< The environment is set up anew; none: it stays.
};
/// It keeps its slot, with p = 1.
struct HypothesisWithdrawn {
  std::string hypothesis, why;
  std::vector<int> runs;  ///< Those that waited for nothing else and never start.
};
/// A registered look before all runs of the experiment have ended: what it decides is final.
struct InterimLook {
  std::string experiment;
  int number = 1;                         ///< Counts from 1.
  double share = 0;                       ///< Of every cell's replicates.
  std::vector<HypothesisResult> results;  ///< Of those that it decides.
  std::vector<std::string> going_on;      ///< Ids of those whose runs go on.
};
struct NodeRecorded {
  Node node;
};
struct ClaimRecorded {
  Claim claim;
};
struct StudyPaused {
  std::string reason;  ///< budget | disk | person | interrupted
  Reason detail;
};
struct StudyResumed {
  std::string boot_id;
  int jobs = 0;   ///< 0: as before.
  Budget raised;  ///< What changed; unset members did not.
};
/// Nothing starts any more and what runs is being killed; then the study concludes as cancelled.
struct CancellationRequested {
  std::string why;
  std::vector<int> runs;  ///< Those that waited and never start.
};
/// The intent to kill one run.
struct RunCancellationRequested {
  int run = 0;
};
/// The events before this one are another study's, up to a point: what they show is shared, what follows is not.
struct StudyForked {
  std::string from;
  std::int64_t seq = 0;       ///< The last event taken over, in the store of then.
  std::string head;           ///< Its hash.
  std::vector<int> requeued;  ///< Runs that lived then: those jobs are the other study's.
  int looks = 0;              ///< At the test data, of the other study after that point: they count here, too.
  /// What was found by then, by the other study after that point and by whatever else is known since it was opened.
  std::vector<Predecessor> predecessors{};
};
struct StudySteered {
  std::string text;
};
/// The study waits at this gate for a person.
struct GateOpened {
  Gate gate;
};
struct GateDecided {
  std::string gate;
  bool approved = false;
  std::string why;
  std::string edited{};  ///< The arguments that the tool is to be used with instead.
};
/// The study has said all it will; what remains is packaging.
struct StudyConcluded {
  StudyOutcome outcome = StudyOutcome::concluded;
  Reason detail;
};
/// `head`: the chain's head that the artifact carries; the few events after it only say where the artifact lies.
struct ArtifactPackaged {
  std::string path, report, head;
};
struct StudyEnded {
  StudyOutcome outcome = StudyOutcome::concluded;
  Reason detail;
};

/// A role's turn began; `role`: who works on it. `about` says the subject in words, for people.
struct LineOpened {
  std::string line, role, about;
  LineSubject subject{};
  bool upcast = false;  ///< Of an older log, which has `about` only: the codec derived the subject, and omits it again.
};
struct LineEnded {
  std::string line, ending;
};
/// The intent to ask a model, committed before it is asked; tokens and money are set aside.
struct ModelAsked {
  int call = 0;
  std::string line, model;
  BlobRef request;
  std::int64_t tokens = 0;
  double usd = 0;
};
/// Committed before the reply is used.
struct ModelAnswered {
  int call = 0;
  CallEnd end;
};
/// Committed with what the tool did to the study, if it did something.
struct ToolReturned {
  int call = 0;
  ToolReturn answer;
};

struct NoteTaken {
  std::string text;
};
/// New, or bound anew: what was judged of it is open again.
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

/// What engineers are asked for next, all of it at once; without steps, nothing more: what is open is given up.
struct CodePlanned {
  int round = 1;
  std::vector<CodeStep> steps;
  std::string over{};  ///< Why nothing more is asked for.
};
/// A version of the code, not run yet.
struct CodeProposed {
  CodeVersion version;
};

template <typename, typename... Types>
struct VariantOf {
  using type = std::variant<Types...>;
};

/// For visitors that name the events they have nothing to say of, so that a new one is not left out silently.
template <typename T, typename... Types>
concept OneOf = (std::is_same_v<T, Types> || ...);

#define ETUDE_EVENT(Type, ...) , Type
using EventVariant = VariantOf<void
#include "kernel/domain/events.def"
                               >::type;

/// One event. Made, copied and destroyed out of line: a variant of so many would be compiled anew wherever it is used.
struct EventBody : EventVariant {
#define ETUDE_EVENT(Type, ...) EventBody(Type);
#include "kernel/domain/events.def"
  EventBody(const EventBody&);
  EventBody(EventBody&&) noexcept;
  EventBody& operator=(const EventBody&);
  EventBody& operator=(EventBody&&) noexcept;
  ~EventBody();
};

/// `actor`: kernel, person, or an agent's role.
struct Event {
  std::string study;
  std::string actor;
  Time at;
  EventBody body;
};

}  // namespace kernel
