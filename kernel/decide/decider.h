#pragma once
// The state and helpers with which one command is decided. Include only where parts of `decide` are defined.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/decide/decide.h"

namespace kernel {

/// The id of a node or claim, such as "N01".
std::string numbered(char letter, std::size_t n);

/// Decides each kind of command: returns events or a reason for refusal.
struct Decider {
  const State& state;
  const Command& command;
  Time now;
  Draw fresh;
  // Set for all handlers except that of OpenStudy.
  const Study* study = nullptr;
  std::vector<Event> events{};

  void emit(EventBody body);
  Decision done(CommandOutcome outcome = Done{});
  /// The last event of a decision.
  Decision record(EventBody body);
  /// The same, or a rejection if such an event cannot follow the study's current state.
  Decision record_if_allowed(EventBody body);
  void emit_node(Node node);
  Decision need(Phase phase, ReasonCode what) const;
  /// Why such an event cannot follow the study's current state; none if it can.
  std::optional<Rejection> against(const EventBody&) const;

  // Studies, runs and people: decider.cc.
  Decision operator()(const OpenStudy& c);
  Decision operator()(const ForkStudy& c);
  Decision operator()(const RequestSetup&);
  Decision operator()(const StartRun& c);
  Decision operator()(const ReportStart& c);
  Decision operator()(const ReportEnd& c);
  Decision operator()(const ReuseRun& c);
  Decision operator()(const Pause& c);
  Decision operator()(const Resume& c);
  Decision operator()(const Cancel& c);
  void cancel(const Reason& why);
  Node dead_end(Reason title, Reason mode, Reason why, Reason lesson) const;
  /// `run`: the first of the trials that all failed.
  void fail_before_registration(ReasonCode, const Run& run);
  Decision operator()(const CancelRun& c);
  /// Ends a run that waits, and the runs that wait for it, as cancelled.
  void end_waiting(const Study& of, int run);
  Decision operator()(const Steer& c);
  Decision operator()(const OpenGate& c);
  Decision operator()(const DecideGate& c);
  Decision operator()(const ReportPictures& c);
  Decision operator()(const ReportPackage& c);

  // Models and tools: decide_agents.cc.
  Decision operator()(const OpenLine& c);
  Decision operator()(const CloseLine& c);
  Decision operator()(const AskModel& c);
  Decision operator()(const ReportReply& c);
  Decision operator()(const ReportTool& c);
  Decision operator()(const ReportBatch& c);
  Decision operator()(const GiveUpCalls& c);
  /// Opens the gate on spending if the call would exceed it; true if the call waits for a person.
  bool waits_for_spending(const AskModel& c);
  Decision operator()(const AskLeave& c);
  Decision operator()(const OrderScratch& c);
  Decision operator()(const TakeNote& c);
  Decision operator()(const BindRequirement& c);
  Decision operator()(const JudgeRequirement& c);
  Decision operator()(const WriteSection& c);

  // What a person does outside the design: decide_capture.cc.
  Decision order_by_hand(const ScratchOrder& order);
  Decision record_by_hand(Node node);
  Decision end_capture();

  /// Gives up calls that wait for a reply, in this conversation or (if `line` is empty) in any.
  using CallChoice = std::function<bool(const LineOfWork&, const ModelCall&)>;
  /// Of the open calls, those that are chosen.
  void give_up_calls(const Journal&, const CallChoice& chosen, const Reason& why);

  // Research, from hypotheses to the conclusion: decide_research.cc.
  Decision operator()(const ProposeHypothesis& c);
  Decision operator()(const CloseProposals& c);
  Decision operator()(const OpenBatch& c);
  Decision operator()(const WithdrawHypothesis& c);
  Decision operator()(const AmendWorkspace& c);
  void propose_anew(const ExperimentId& experiment, const std::string& why);
  Decision operator()(const RequestSmoke&);
  Decision operator()(const JudgeManipulation&);
  Decision operator()(const RequestComparison&);
  Decision operator()(const JudgeComparison&);
  Decision operator()(const RegisterSearch&);
  Decision operator()(const QueueRung&);
  Decision operator()(const RankRung&);
  Decision operator()(const AdvanceCode&);
  Decision operator()(const EndCode& c);
  Decision operator()(const ProposeCode& c);
  Decision operator()(const RequestPilot&);
  Decision operator()(const SizeSample&);
  Decision operator()(const RegisterExperiment& c);
  Decision operator()(const AnalyseExperiment& c);
  Decision operator()(const RecordNode& c);
  Decision operator()(const RecordClaim& c);
  Decision operator()(const Conclude&);
};

/// The scratch run that an order asks for; it is not evidence and has its own seed.
RunsQueued scratch_run(const Study&, const ScratchOrder&, const std::string& label, const Draw& fresh);

}  // namespace kernel
