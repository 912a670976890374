#pragma once
// The commands that the kernel accepts from agents, people and adapters. Only `decide` turns them into events.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/domain/event.h"

namespace kernel {

struct OpenStudy {
  StudyOpened study;
};
/// Opens a study that starts with the events of another one.
struct ForkStudy {
  std::string from;
  std::int64_t seq = 0;
  std::string head;
  std::vector<Event> events;                ///< The other study's events, rewritten for the new study.
  int looks = 0;                            ///< StudyForked::looks
  std::vector<Predecessor> predecessors{};  ///< StudyForked::predecessors
  int slots = 0;                            ///< StudyForked::slots
};
struct ProposeHypothesis {
  Hypothesis hypothesis;
};
/// Opens the next batch of hypotheses: after all experiments are analysed and before the first claim.
struct OpenBatch {
  std::string why;
};
/// Replaces the workspace and keeps everything else.
struct AmendWorkspace {
  WorkspaceRecord workspace;
  std::string why;
  WorkspaceHash base{};                ///< The workspace that was changed; empty if any may be replaced.
  std::optional<SetupChange> setup{};  ///< None: the environment does not change.
  BlobRef diff{};                      ///< From an agent: from the newest code that a person wrote.
  std::vector<CodePlace> places{};     ///< From an agent: the lines that it changed.
  std::string line{};                  ///< From an agent: its line of work.
};
/// Withdraws a hypothesis that has no verdict.
struct WithdrawHypothesis {
  HypothesisId hypothesis;
  std::string why;
};
struct CloseProposals {
  int family = 1;
};
/// Queues the run that sets up the environment; if it failed for good, ends or pauses the study.
struct RequestSetup {};
/// Queues the manipulation check's runs, or skips the check if the design says so.
struct RequestSmoke {};
struct JudgeManipulation {};
/// Queues the runs that compare an agent's code with the code that it amended, or records why there are none.
struct RequestComparison {};
struct JudgeComparison {};
/// Hashes the plan of a screening or an optimisation into the log.
struct RegisterSearch {};
struct QueueRung {};
/// Ranks the candidates of a rung after all its runs have ended.
struct RankRung {};
struct RequestPilot {};
/// Fixes every hypothesis's number of replicates, from the pilot if there is one.
struct SizeSample {};
struct RegisterExperiment {
  std::vector<HypothesisId> hypotheses;
};
struct AnalyseExperiment {
  ExperimentId experiment;
};
struct RecordNode {
  Node node;  ///< Without an id; the kernel numbers nodes.
};
struct RecordClaim {
  Claim claim;  ///< Without an id; the kernel numbers claims.
};
struct Conclude {};

/// The main loop's intent to launch a run.
struct StartRun {
  int run = 0;
  LaunchToken token;
  Lease lease{};
};
struct ReportStart {
  int run = 0;
  LaunchToken token;
};
struct ReportEnd : RunEnded {  ///< What the kernel judges (state, reason, `beside`) is not set yet.
  std::string said{};          ///< The last lines of stderr; see `last_lines`.
};
/// Uses the record of an identical run of an earlier study.
struct ReuseRun {
  RunEnded record;  ///< The earlier run's record, with the number of this run.
};
struct Pause {
  PauseReason reason = PauseReason::person;
  Reason detail{};
};
struct Resume {
  std::string boot_id;
  int jobs = 0;
  Budget raised;
  std::optional<int> priority{};
  bool changes_anything() const {
    return jobs > 0 || priority || raised.wall_s || raised.runs || raised.usd || raised.tokens || raised.gpu_hours;
  }
};
/// Final: queued runs never start and live runs are killed; the study still gets its artifact.
struct Cancel {
  std::string why;
};
struct CancelRun {
  int run = 0;
};
/// Records a person's message to the agents.
struct Steer {
  std::string text;
};
/// Sent by the kernel when the step before which a gate stands is due.
struct OpenGate {
  int position = 0;  ///< Index into StudySpec::gates.
};
struct DecideGate {
  std::string gate;
  bool approve = false;
  Reason why{};
  std::string edited{};  ///< A JSON object: arguments that replace those of the agent's tool call.
};
/// The pictures for the artifact are drawn and stored.
struct ReportPictures {
  std::vector<OutputFile> files;
  std::string trouble;
  /// Files of the workspace that look like secrets, and what they are: then nothing is drawn, and a person is asked.
  std::map<std::string, std::string> secrets{};
};
struct ReportPackage {
  std::string path{}, report{}, head{};
  Reason failure{};      ///< Empty if there is an artifact.
  bool no_room = false;  ///< Packaging failed only because the disk was full.
};

/// Starts a role's turn; the actor is the role.
struct OpenLine {
  std::string line, about;
  LineSubject subject{};
};
struct CloseLine {
  std::string line;
  Reason ending;
};
/// Requests permission for a model call. A call that would exceed the budget pauses the study.
struct AskModel {
  std::string line, model;
  BlobRef request;
  std::int64_t tokens = 0;         ///< The most that the call may use.
  std::optional<double> usd;       ///< None if the cost is unknown.
  Reason instead{};                ///< Why another model than the role's is asked.
  std::vector<ReadLines> shown{};  ///< ModelAsked::shown
  std::string asked_for{};         ///< AskedAs::model
  std::string effort{};            ///< AskedAs::effort
};
struct ReportReply {
  int call = 0;
  CallEnd end;
};
/// The call's request is in a batch of its provider; without an id, it is in none any more.
struct ReportBatch {
  int call = 0;
  std::string batch, service;
  std::int64_t until_ms = 0;  ///< Wall clock.
};
/// Gives up the open model calls of one line of work, or of all lines if it is empty. Calls whose reply a later program
/// can take up from a batch stay open while their line may go on.
struct GiveUpCalls {
  std::string line;
  Reason why;
};
struct ReportTool {
  int call = 0;
  ToolReturn answer;
};
/// Asks a person to allow a tool call, or asks a person an agent's question.
struct AskLeave {
  int call = 0;
  std::string tool_call, tool;
  std::string arguments;
  std::string question;  ///< Empty: asks whether the tool may be used.
};
/// Runs a command once on a version of the workspace; the run is never evidence.
struct OrderScratch {
  ScratchOrder order;
};
struct TakeNote {
  std::string text;
};
struct BindRequirement {
  StudyRequirement requirement;  ///< No id for a new one. `workspace`: the code that was read; empty: the present code.
};
struct JudgeRequirement {
  std::string requirement;
  bool met = false;
  std::string why;
  WorkspaceHash workspace{};  ///< The code that was read; empty for the present code that the requirement is about.
};
struct WriteSection {
  std::string name, text;
};

/// Takes the next step of a search over code: measure versions, plan a round, or end the search.
struct AdvanceCode {};
/// Ends the search over code, even if engineers are still working.
struct EndCode {
  Reason why;
};
/// Submits the version of the code that a step made.
struct ProposeCode {
  std::string step;
  WorkspaceRecord workspace;
  BlobRef diff;
  std::string why;
  int lines = 0;  ///< CodeVersion::lines
};

#define ETUDE_COMMAND(Type) , Type
using CommandVariant = VariantOf<void
#include "kernel/domain/commands.def"
                                 >::type;

/// One command. Its constructors and destructor are out of line, as those of EventBody are.
struct CommandBody : CommandVariant {
#define ETUDE_COMMAND(Type) CommandBody(Type);
#include "kernel/domain/commands.def"
  CommandBody(const CommandBody&);
  CommandBody(CommandBody&&) noexcept;
  CommandBody& operator=(const CommandBody&);
  CommandBody& operator=(CommandBody&&) noexcept;
  ~CommandBody();
};

struct Command {
  std::string study;  ///< The study that the command is for; the new id in OpenStudy.
  std::string actor;  ///< As in `Event`.
  CommandBody body;
  bool built_in = false;  ///< Its texts are fixed sentences of a built-in agent, so no finding in them refuses it.
};

/// The command was carried out. `call`: the number of the call that AskModel was granted.
struct Done {
  std::optional<int> call{};
};
/// Not carried out yet: a person must decide something first.
struct Waits {
  std::string reason;
};
/// Not carried out: the study is paused, perhaps by this command.
struct Paused {
  std::string reason;
};
/// Not carried out. `stated`: the same reason for events; empty if the sentence is only for the sender.
struct Rejection {
  std::string reason;  ///< Text for the sender.
  Reason stated{};
};
using CommandOutcome = std::variant<Done, Waits, Paused, Rejection>;

/// Why the command was not carried out; null if it was.
inline const std::string* why_not(const CommandOutcome& outcome) {
  struct Text {
    const std::string* operator()(const Done&) const { return nullptr; }
    const std::string* operator()(const Waits& w) const { return &w.reason; }
    const std::string* operator()(const Paused& p) const { return &p.reason; }
    const std::string* operator()(const Rejection& r) const { return &r.reason; }
  };
  return std::visit(Text{}, outcome);
}

}  // namespace kernel
