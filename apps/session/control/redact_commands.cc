#include "apps/session/control/redact_commands.h"

#include "config/config.h"
#include "programs/run_program.h"

namespace session {

kernel::Redactor redactor_for(const std::string& config) {
  const auto environment = programs::own_environment();
  const auto loaded = config::load(config, environment);
  return loaded ? kernel::Redactor(config::secrets(*loaded, environment)) : kernel::Redactor();
}

namespace {

/// Redacts what a person says in a command of each kind.
struct Redacting {
  const kernel::Redactor& redact;
  void clean(std::string& text) const { text = redact(text); }

  void operator()(kernel::Steer& c) const { clean(c.text); }
  void operator()(kernel::Pause& c) const { clean(c.detail.text); }
  void operator()(kernel::Cancel& c) const { clean(c.why); }
  void operator()(kernel::DecideGate& c) const {
    clean(c.why.text);
    clean(c.edited);
  }
  void operator()(kernel::AmendWorkspace& c) const { clean(c.why); }
  void operator()(kernel::WithdrawHypothesis& c) const { clean(c.why); }
  void operator()(kernel::RecordNode& c) const {
    clean(c.node.title);
    for (auto& [name, text] : c.node.fields) clean(text);
    for (std::string& alternative : c.node.alternatives) clean(alternative);
  }
  void operator()(kernel::OrderScratch& c) const { clean(c.order.command); }
  void operator()(kernel::JudgeRequirement& c) const { clean(c.why); }
  /// Commands without words of a person's, or whose words are cleaned where they are made.
  template <kernel::OneOf<
      kernel::OpenStudy, kernel::ForkStudy, kernel::ProposeHypothesis, kernel::CloseProposals, kernel::RequestSetup,
      kernel::RequestSmoke, kernel::JudgeManipulation, kernel::RequestComparison, kernel::JudgeComparison,
      kernel::RequestPilot, kernel::SizeSample, kernel::RegisterExperiment, kernel::AnalyseExperiment,
      kernel::RecordClaim, kernel::Conclude, kernel::StartRun, kernel::ReportStart, kernel::ReportEnd, kernel::ReuseRun,
      kernel::Resume, kernel::CancelRun, kernel::OpenGate, kernel::ReportPictures, kernel::ReportPackage,
      kernel::RegisterSearch, kernel::QueueRung, kernel::RankRung, kernel::OpenBatch, kernel::OpenLine,
      kernel::CloseLine, kernel::AskModel, kernel::ReportReply, kernel::ReportBatch, kernel::ReportTool,
      kernel::GiveUpCalls, kernel::AskLeave, kernel::TakeNote, kernel::BindRequirement, kernel::WriteSection,
      kernel::AdvanceCode, kernel::EndCode, kernel::ProposeCode>
                Untouched>
  void operator()(Untouched&) const {}
};

}  // namespace

kernel::Command redacted(kernel::Command command, const kernel::Redactor& redact) {
  std::visit(Redacting{redact}, command.body);
  return command;
}

std::optional<kernel::Problem> refused_tagging(const kernel::Tagging& change, const kernel::Redactor& redact) {
  if (auto problem = kernel::wrong_tagging(change)) return problem;
  for (const std::string& tag : change.added)
    if (redact(tag) != tag) return kernel::Problem{"", 0, "a tag", "looks like a key", "use another word"};
  return std::nullopt;
}

}  // namespace session
