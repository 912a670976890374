#pragma once
// Everything that may be asked of the kernel, in the imperative. Agents, people and adapters send these; only
// `decide` turns them into events.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/domain/event.h"

namespace kernel {

struct OpenStudy {
  StudyOpened study;
};
/// Opens a study with the past of another one.
struct ForkStudy {
  std::string from;
  std::int64_t seq = 0;
  std::string head;
  std::vector<Event> events;                ///< Told of the new study.
  int looks = 0;                            ///< StudyForked::looks
  std::vector<Predecessor> predecessors{};  ///< StudyForked::predecessors
};
struct ProposeHypothesis {
  Hypothesis hypothesis;
};
/// Further hypotheses, once all experiments are analysed and before the first claim.
struct OpenBatch {
  std::string why;
};
/// The workspace as it is now, all else unchanged.
struct AmendWorkspace {
  WorkspaceRecord workspace;
  std::string why;
  WorkspaceHash base{};                ///< What it was made from; empty: it does not matter.
  std::optional<SetupChange> setup{};  ///< None: the environment stays as it is.
};
/// One without a verdict.
struct WithdrawHypothesis {
  std::string hypothesis, why;
};
struct CloseProposals {
  int family = 1;
};
/// The run that sets up the environment; or, once that has failed for good, the end.
struct RequestSetup {};
/// The manipulation check's runs, or its omission where the design says so.
struct RequestSmoke {};
struct JudgeManipulation {};
/// The plan of a screening or an optimisation, hashed into the log.
struct RegisterSearch {};
/// The runs of its next rung.
struct QueueRung {};
/// What a rung's runs say, once all have ended.
struct RankRung {};
struct RequestPilot {};
/// Settles every hypothesis's replicates, from the pilot where there is one.
struct SizeSample {};
struct RegisterExperiment {
  std::vector<std::string> hypotheses;
};
struct AnalyseExperiment {
  std::string experiment;
};
struct RecordNode {
  Node node;  ///< Without id: the kernel numbers nodes.
};
struct RecordClaim {
  Claim claim;  ///< Without id: the kernel numbers claims.
};
struct Conclude {};

/// The loop's own intent to launch.
struct StartRun {
  int run = 0;
  LaunchToken token;
  Lease lease{};
};
struct ReportStart {
  int run = 0;
  LaunchToken token;
};
struct ReportEnd {
  int run = 0;
  JobOutcome outcome;
  Measurement measurement;
  BlobRef out_log, err_log;
  std::vector<OutputFile> outputs;
  LeftOut left_out;
  std::vector<KeptOutput> kept;
  std::string output_digest;
  std::string fingerprint;  ///< RunEnded::fingerprint
};
/// The record of the same run of an earlier study.
struct BringBack {
  RunEnded record;  ///< Of that run, told of this one.
};
struct Pause {
  std::string reason, detail;
};
struct Resume {
  std::string boot_id;
  int jobs = 0;
  Budget raised;
  bool changes_anything() const {
    return jobs > 0 || raised.wall_s || raised.runs || raised.usd || raised.tokens || raised.gpu_hours;
  }
};
/// For good: what waits never starts, what runs is killed; the study still gets its artifact.
struct Cancel {
  std::string why;
};
struct CancelRun {
  int run = 0;
};
/// A person's words to the agents.
struct Steer {
  std::string text;
};
/// The kernel's own, once what a gate stands before is due.
struct OpenGate {
  int position = 0;  ///< In StudySpec::gates.
};
struct DecideGate {
  std::string gate;
  bool approve = false;
  std::string why;
  std::string edited{};  ///< A JSON object: what a tool is to be used with instead of what the agent wanted.
};
struct ReportPackage {
  std::string path, report, head;
  std::string failure;   ///< Not empty: packaging failed, and this is why.
  bool no_room = false;  ///< It failed for want of room only.
};

/// A role's turn begins; the actor is the role.
struct OpenLine {
  std::string line, about;
  LineSubject subject{};
};
struct CloseLine {
  std::string line, ending;
};
/// Asks for leave to ask a model. What goes beyond the budget pauses the study.
struct AskModel {
  std::string line, model;
  BlobRef request;
  std::int64_t tokens = 0;    ///< The most that it may take.
  std::optional<double> usd;  ///< None: nobody knows.
};
struct ReportReply {
  int call = 0;
  CallEnd end;
};
/// Nobody waits for a reply any more, on that line of work or, if it is empty, on any.
struct GiveUpCalls {
  std::string line, why;
};
struct ReportTool {
  int call = 0;
  ToolReturn answer;
};
/// A person is asked before a tool is used, or something that an agent wants to know.
struct AskLeave {
  int call = 0;
  std::string tool_call, tool;
  std::string arguments;
  std::string question;  ///< Empty: whether the tool may be used.
};
/// One run of a command on a version of the workspace, never evidence.
struct OrderScratch {
  ScratchOrder order;
};
struct TakeNote {
  std::string text;
};
struct BindRequirement {
  StudyRequirement requirement;  ///< Without id: a new one. `workspace`: what was read; empty: the code as it is now.
};
struct JudgeRequirement {
  std::string requirement;
  bool met = false;
  std::string why;
  WorkspaceHash workspace{};  ///< The source that was read; empty: the code that it is about as it is now.
};
struct WriteSection {
  std::string name, text;
};

/// What is due in a search over code: measuring versions, another round, or the end of the search.
struct AdvanceCode {};
/// The search over code ends here, whatever engineers are at.
struct EndCode {
  std::string why;
};
/// A step's version of the code.
struct ProposeCode {
  std::string step;
  WorkspaceRecord workspace;
  BlobRef diff;
  std::string why;
};

#define ETUDE_COMMAND(Type) , Type
using CommandVariant = VariantOf<void
#include "kernel/domain/commands.def"
                                 >::type;

/// One command. Made, copied and destroyed out of line, as EventBody is.
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
  std::string study;  ///< Which study it is for; OpenStudy: the new id.
  std::string actor;  ///< kernel, person, or an agent's role.
  CommandBody body;
};

/// The command was followed. `call`: the number of the call that AskModel was granted.
struct Done {
  std::optional<int> call{};
};
/// Not followed yet: a person has to decide something first.
struct Waits {
  std::string reason;
};
/// Not followed: the study is paused, perhaps by this command.
struct Paused {
  std::string reason;
};
/// Not followed, for a reason in words that the sender can act on.
struct Rejection {
  std::string reason;
};
/// What became of a command.
using Outcome = std::variant<Done, Waits, Paused, Rejection>;

/// Why the command was not followed; null: it was.
inline const std::string* why_not(const Outcome& outcome) {
  struct Text {
    const std::string* operator()(const Done&) const { return nullptr; }
    const std::string* operator()(const Waits& w) const { return &w.reason; }
    const std::string* operator()(const Paused& p) const { return &p.reason; }
    const std::string* operator()(const Rejection& r) const { return &r.reason; }
  };
  return std::visit(Text{}, outcome);
}

}  // namespace kernel
