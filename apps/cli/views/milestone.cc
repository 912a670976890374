#include "apps/cli/views/milestone.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/terminal/command_context.h"
#include "apps/session/watch/public_view.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/search.h"
#include "kernel/views/plan.h"
#include "kernel/views/waiting.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace cli {

namespace {

std::string number_of(std::size_t n, const char* noun) {
  return prose::counted(static_cast<long long>(n), noun);
}

/// One line per text.
std::string lines_of(const char* head, const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += (lines.empty() ? "" : "\n") + std::string(head) + printable(text);
  return lines;
}

/// One line: the candidates that continue after a rung. Empty for a rung of the model's proposals, which selects
/// nothing.
std::string rung_line(const kernel::RungRanked& ranked) {
  std::string text;
  for (const kernel::FactorEffect& e : ranked.effects)
    if (e.kept) text += (text.empty() ? "" : ", ") + e.factors[0];
  std::size_t kept = 0, all = 0;
  const kernel::Candidate* best = nullptr;
  for (const kernel::Candidate& c : ranked.candidates) {
    kept += c.kept ? 1 : 0;
    all += c.baseline ? 0 : 1;
    if (c.kept && !best) best = &c;
  }
  if (!text.empty()) return fmt::format("{} carries forward: {}", ranked.experiment, text);
  if (!ranked.last && kept == 0) return "";
  if (!best) return fmt::format("{} rung {}: no candidate continues", ranked.experiment, ranked.rung);
  return fmt::format("{} rung {}: {} of {} candidates continue{}, the best {} (selection, no verdict)",
                     ranked.experiment, ranked.rung, kept, all, ranked.last ? " to the confirmation" : "",
                     kernel::words_of(best->cell));
}

/// One line: what became of a version that was compared with its base.
std::string idea_line(const kernel::Study& study, const kernel::RungRanked& ranked) {
  const auto of = [&](bool base) {
    const auto found = std::ranges::find(ranked.candidates, base, &kernel::Candidate::baseline);
    return found == ranked.candidates.end() ? std::string("?") : kernel::words_of(found->cell);
  };
  const kernel::Reason why = kernel::why_discarded(study, ranked);
  if (!why.empty()) return fmt::format("{} is discarded: {}", of(false), newest_words(why));
  const std::string gain = ranked.floor->gain ? fmt::format("{:.4g}", *ranked.floor->gain) : "none";
  return fmt::format("{} gained {} over {} (noise floor {:.4g}): {}", of(false), gain, of(true), ranked.floor->least,
                     ranked.floor->again ? "it is the base now" : "it runs again beside it");
}

const std::string& line_of(const kernel::Journal& journal, int call) {
  const auto index = static_cast<std::size_t>(journal.thinking.call(call)->line);
  return journal.thinking.lines.at(index).id;
}

/// Whether this call, whose use is counted already, is the model's first with fewer tokens than its texts can be.
bool is_first_understated(const kernel::Study& study, const kernel::ModelCall& call) {
  std::int64_t calls = 0;
  for (const kernel::ModelUse& use : study.models) calls += use.model == call.model ? use.understated.calls : 0;
  return calls == 1;
}

/// The text for an event of each kind.
struct Milestone {
  using Text = std::optional<std::string>;
  const kernel::Study& study;

  Text operator()(const kernel::StudyOpened&) const {
    return fmt::format("study {}: {}", study.id, printable(study.spec.title));
  }
  Text operator()(const kernel::StudyResumed&) const {
    return fmt::format("study {}: {} (resumed at {})", study.id, printable(study.spec.title), name(study.phase()));
  }
  Text operator()(const kernel::ProposalsClosed& e) const {
    return fmt::format("  {} in a family of {}", number_of(study.hypotheses.size(), "hypothesis"), e.family);
  }
  Text operator()(const kernel::ManipulationChecked& e) const {
    if (e.findings.empty())
      return e.skipped ? "  manipulation check skipped (design.smoke: false)" : "  manipulation check passed";
    std::vector<std::string> texts;
    for (const kernel::CheckFinding& finding : e.findings) texts.push_back(newest_words(finding.message));
    return lines_of("  manipulation check: ", texts);
  }
  Text operator()(const kernel::CodeCompared& e) const {
    if (!e.unchecked.empty())
      return "  what the agent changed could not be compared: " + printable(newest_words(e.unchecked));
    const auto moved = std::ranges::count_if(e.values, [&](const auto& value) { return e.moved(value); });
    return fmt::format(
        "  code of the agent compared: {}, of which {} differ from the original code; {} vary between equal runs",
        number_of(e.values.size(), "value"), moved, number_of(e.noisy.size(), "metric"));
  }
  Text operator()(const kernel::SampleSized& e) const {
    std::vector<std::string> texts = kernel::newest_words(e.warnings);
    if (std::string outlook = kernel::budget_outlook(study); !outlook.empty()) texts.push_back(std::move(outlook));
    return texts.empty() ? Text() : lines_of("  sizing: ", texts);
  }
  Text operator()(const kernel::SearchRegistered& e) const {
    return fmt::format("  {} registered: {} ({}), {}, plan {}", e.plan.registered.experiment,
                       number_of(e.plan.registered.cells.size(), "cell"), kernel::design_words(e.plan),
                       number_of(e.plan.rungs.size(), "rung"), e.hash.substr(0, 12));
  }
  Text operator()(const kernel::CodePlanned& e) const {
    if (e.steps.empty()) return "  no further versions: " + printable(newest_words(e.over));
    std::string steps;
    for (const kernel::CodeStep& step : e.steps) steps += (steps.empty() ? "" : ", ") + step.id;
    return fmt::format("  round {}: {}", e.round, printable(steps));
  }
  Text operator()(const kernel::CodeProposed& e) const {
    return fmt::format("  {} ({}): {}", printable(e.version.id), printable(e.version.step), printable(e.version.why));
  }
  Text operator()(const kernel::RungRanked& e) const {
    if (e.floor) return "  " + printable(idea_line(study, e));
    const std::string line = rung_line(e);
    return line.empty() ? Text() : "  " + printable(line);
  }
  Text operator()(const kernel::ExperimentRegistered& e) const {
    int runs = 0;
    for (const int n : e.registration.replicates) runs += n;
    return fmt::format("  {} registered: {}, {}, registration {}", e.registration.experiment,
                       number_of(e.registration.cells.size(), "cell"), number_of(static_cast<std::size_t>(runs), "run"),
                       e.hash.substr(0, 12));
  }
  Text operator()(const kernel::RunEnded& e) const {
    constexpr int most_told = 5;  // Of each state.
    if (e.state == kernel::RunState::succeeded || study.counted.in[static_cast<std::size_t>(e.state)] > most_told)
      return std::nullopt;
    const bool withheld = e.state == kernel::RunState::invalid && is_registered(e, study);
    return fmt::format("  {} {}: {}", study.run_id(e.run), name(e.state),
                       withheld ? session::withheld_reason : printable(newest_words(e.reason)));
  }
  Text operator()(const kernel::InterimLook& e) const {
    std::vector<std::string> decided;
    for (const kernel::HypothesisResult& r : e.results) decided.push_back(fmt::format("{} {}", r.id, name(r.verdict)));
    const auto& looks = study.spec.design.looks;
    if (decided.empty() && looks && looks->anytime) return std::nullopt;  // There is a look after every pair.
    return fmt::format("  look {} of {}, at {:.0f} % of the replicates: {}; {} {} on", e.number, e.experiment,
                       100 * e.share,
                       decided.empty() ? "nothing is decided" : fmt::format("{}", fmt::join(decided, ", ")),
                       e.going_on.size(), e.going_on.size() == 1 ? "goes" : "go");
  }
  Text operator()(const kernel::BatchOpened& e) const {
    return fmt::format("  batch {}: {}", e.batch, printable(newest_words(e.why)));
  }
  Text operator()(const kernel::WorkspaceAmended& e) const { return "  code amended: " + printable(e.why); }
  Text operator()(const kernel::HypothesisWithdrawn& e) const {
    return fmt::format("  {} withdrawn: {}", e.hypothesis, printable(newest_words(e.why)));
  }
  Text operator()(const kernel::StudyPaused& e) const {
    // Of a full home or artifact's folder the words say what to do.
    const bool says_how =
        e.reason != kernel::PauseReason::disk || e.detail.code == kernel::ReasonCode::disk_without_room;
    return fmt::format("  paused ({}){}{}", name(e.reason),
                       e.detail.empty() ? "" : ": " + printable(newest_words(e.detail)),
                       says_how ? "" : ": make room, then `etude resume`");
  }
  Text operator()(const kernel::GateOpened& e) const {
    const kernel::Gate& gate = e.gate;
    if (gate.on == kernel::GateOn::question)
      return fmt::format(
          "  an agent asks ({0}): {1}\n  `etude approve {0} --why \"the answer\"`, or `etude reject {0} --why \"…\"`",
          gate.id, printable(newest_words(gate.what)));
    if (gate.on == kernel::GateOn::secrets)
      return fmt::format(
          "  waits at gate {0}: {1}?\n  `etude approve {0}` publishes them, `etude reject {0} --why \"…\"` leaves them "
          "out; then `etude resume {2}`",
          gate.id, printable(newest_words(gate.what)), gate.id.substr(0, gate.id.rfind('-')));
    return fmt::format("  waits at gate {0} ({1}): {2}?{3}\n  `etude approve {0}`, or `etude reject {0} --why \"…\"`",
                       gate.id, name(gate.on), printable(newest_words(gate.what)),
                       gate.arguments.empty() ? "" : "\n  " + printable(gate.arguments.substr(0, 2000)));
  }
  Text operator()(const kernel::GateDecided& e) const {
    return fmt::format("  gate {} {}{}", e.gate, e.approved ? "approved" : "rejected",
                       e.why.empty() ? "" : ": " + printable(newest_words(e.why)));
  }
  Text operator()(const kernel::ArmStopped& e) const {
    return fmt::format("  {}: {}", e.experiment, printable(newest_words(e.reason)));
  }
  Text operator()(const kernel::CancellationRequested& e) const {
    return "  cancelled: " + printable(newest_words(e.why));
  }
  Text operator()(const kernel::StudySteered& e) const { return "  steered: " + printable(e.text); }
  Text operator()(const kernel::LineOpened& e) const { return fmt::format("  {} begins", e.line); }
  Text operator()(const kernel::ModelAnswered& e) const {
    std::string text;
    const auto add = [&](const std::string& said) {
      text += fmt::format("{}  {}: {}", text.empty() ? "" : "\n", line_of(study, e.call), printable(said));
    };
    for (const std::string& note : e.end.notes) add(note);
    if (e.end.understated && is_first_understated(study, *study.thinking.call(e.call)))
      add(fmt::format("the provider reports {} for texts of at least {}: the reserved amount is charged",
                      prose::counted(e.end.understated->stated, "token"), e.end.understated->least));
    if (!e.end.failure.empty())
      add(newest_words(e.end.failure) +
          (e.end.again_in_s > 0 ? fmt::format("; again in {:.0f} s", e.end.again_in_s) : ""));
    return text.empty() ? Text() : Text(text);
  }
  Text operator()(const kernel::CallBatched& e) const {
    if (e.batch.empty()) return std::nullopt;
    const std::string words = newest_words(awaited_batch(*study.thinking.call(e.call)));
    return fmt::format("  {} {}", line_of(study, e.call), printable(words));
  }
  Text operator()(const kernel::ToolReturned& e) const {
    return fmt::format("  {}: {}{}", line_of(study, e.call), printable(e.answer.tool),
                       e.answer.refused ? " refused" : "");
  }
  Text operator()(const kernel::LineEnded& e) const {
    return fmt::format("  {} ended: {}", e.line, printable(newest_words(e.ending)));
  }
  template <kernel::OneOf<kernel::HypothesisProposed, kernel::IntegrityFound, kernel::ExperimentAnalysed,
                          kernel::NodeRecorded, kernel::ClaimRecorded, kernel::StudyConcluded, kernel::PicturesDrawn,
                          kernel::ArtifactPackaged, kernel::StudyEnded, kernel::StudyForked, kernel::RunsQueued,
                          kernel::RunStarting, kernel::RunStarted, kernel::RunRequeued,
                          kernel::RunCancellationRequested, kernel::ModelAsked, kernel::NoteTaken,
                          kernel::RequirementBound, kernel::RequirementJudged, kernel::SectionWritten>
                Untold>
  Text operator()(const Untold&) const {
    return std::nullopt;
  }
};

}  // namespace

bool is_registered(const kernel::RunEnded& ended, const kernel::RunBoard& board) {
  return board.run(ended.run)->experiment != "";
}

std::optional<std::string> milestone(const kernel::EventBody& body, const kernel::Study& study) {
  return std::visit(Milestone{study}, body);
}

}  // namespace cli
