#include "apps/cli/views/live_view.h"

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/command_context.h"
#include "apps/cli/terminal/progress_bar.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/session/watch/public_event.h"
#include "apps/session/watch/withheld.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/search/search_nodes.h"
#include "kernel/study/gates.h"
#include "kernel/views/search_json.h"
#include "prose/numbers.h"

namespace cli {

namespace {

std::string number_of(std::size_t n, const char* noun) {
  return prose::counted(static_cast<long long>(n), noun);
}

struct Progress {
  std::string what;
  int done = 0, all = 0;
};

/// Progress of the present runs: smoke, pilot or registered.
Progress progress_of(const kernel::Study& study) {
  const int all = static_cast<int>(study.runs.size());
  switch (study.phase()) {
    case kernel::Phase::checking:
      return {"manipulation check", all - study.pending_smoke, all};
    case kernel::Phase::sizing:
      return {"pilot", all - study.pending_pilot, all};
    case kernel::Phase::searching:
      return {"searching", all - (study.search ? study.search->pending : 0), all};
    case kernel::Phase::measuring: {
      int pending = 0;
      for (const kernel::Experiment& e : study.experiments) pending += e.pending;
      return {"measuring", all - pending, all};
    }
    default:
      return {std::string(name(study.phase())), 0, 0};
  }
}

bool is_registered(const kernel::RunEnded& ended, const kernel::Study& study) {
  return study.run(ended.run)->experiment != "";
}

/// The selection of a rung, in one line.
std::string rung_line(const kernel::RungRanked& ranked) {
  std::string text;
  for (const kernel::FactorEffect& e : ranked.effects)
    if (e.kept) text += (text.empty() ? "" : ", ") + e.factors[0];
  std::size_t kept = 0;
  const kernel::Candidate* best = nullptr;
  for (const kernel::Candidate& c : ranked.candidates) {
    kept += c.kept ? 1 : 0;
    if (c.kept && !best) best = &c;
  }
  if (!text.empty()) return fmt::format("{} carries forward: {}", ranked.experiment, text);
  if (!best) return fmt::format("{} rung {}: nothing goes on", ranked.experiment, ranked.rung);
  return fmt::format("{} rung {}: {} of {} candidates go on{}, the best {} (selection, no verdict)", ranked.experiment,
                     ranked.rung, kept, ranked.candidates.size() - 1, ranked.last ? " into the confirmation" : "",
                     kernel::words_of(best->cell));
}

std::string bad_runs(const kernel::Study& study) {
  std::string text;
  for (const kernel::RunState state :
       {kernel::RunState::failed, kernel::RunState::timed_out, kernel::RunState::invalid, kernel::RunState::lost}) {
    const int count = study.counted.in[static_cast<std::size_t>(state)];
    if (count > 0) text += fmt::format(" · {} {}", count, name(state));
  }
  return text;
}

}  // namespace

LiveView::Style LiveView::style_for(bool as_json) {
  if (as_json) return Style::json_lines;
  return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) ? Style::terminal : Style::plain;
}

void LiveView::committed(const kernel::Event& event, const kernel::State& state) {
  const std::lock_guard lock(mutex_);
  if (style_ == Style::json_lines) {
    const auto* ended = std::get_if<kernel::RunEnded>(&event.body);
    print_json_line(session::event_shape(event, ended && is_registered(*ended, *state.study(event.study))));
    std::fflush(stdout);
    return;
  }
  if (style_ == Style::silent) return;
  if (std::holds_alternative<kernel::ModelAnswered>(event.body)) print_words(true);
  const kernel::Study& study = *state.study(event.study);
  milestone(event, study);
  if (study.state == kernel::StudyState::running) status(study, std::holds_alternative<kernel::RunEnded>(event.body));
}

void LiveView::refused(const kernel::Command& command, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  // Only refused requests of people and agents are news; the kernel's own may simply be late.
  if (command.actor != "kernel") line(fmt::format("refused ({}): {}", command.actor, printable(reason)));
}

namespace {

const std::string& line_of(const kernel::Study& study, int call) {
  const auto index = static_cast<std::size_t>(study.thinking.call(call)->line);
  return study.thinking.lines.at(index).id;
}

}  // namespace

void LiveView::milestone(const kernel::Event& event, const kernel::Study& study) {
  if (std::get_if<kernel::StudyOpened>(&event.body)) {
    line(fmt::format("study {}: {}", study.id, printable(study.spec.title)));
    std::fflush(stdout);
  } else if (const auto* closed = std::get_if<kernel::ProposalsClosed>(&event.body)) {
    line(fmt::format("  {} in a family of {}", number_of(study.hypotheses.size(), "hypothesis"), closed->family));
  } else if (const auto* check = std::get_if<kernel::ManipulationChecked>(&event.body)) {
    if (check->findings.empty())
      line(check->skipped ? "  manipulation check skipped (design.smoke: false)" : "  manipulation check passed");
    for (const kernel::CheckFinding& finding : check->findings)
      line("  manipulation check: " + printable(finding.message));
  } else if (const auto* sized = std::get_if<kernel::SampleSized>(&event.body)) {
    for (const std::string& warning : sized->warnings) line("  sizing: " + printable(warning));
  } else if (const auto* search = std::get_if<kernel::SearchRegistered>(&event.body)) {
    line(fmt::format("  {} registered: {} ({}), {}, plan {}", search->plan.registered.experiment,
                     number_of(search->plan.registered.cells.size(), "cell"), kernel::design_words(search->plan),
                     number_of(search->plan.rungs.size(), "rung"), search->hash.substr(0, 12)));
  } else if (const auto* asks = std::get_if<kernel::CodePlanned>(&event.body)) {
    std::string steps;
    for (const kernel::CodeStep& step : asks->steps) steps += (steps.empty() ? "" : ", ") + step.id;
    line(asks->steps.empty() ? "  no further versions: " + printable(asks->over)
                             : fmt::format("  round {}: {}", asks->round, printable(steps)));
  } else if (const auto* written = std::get_if<kernel::CodeProposed>(&event.body)) {
    line(fmt::format("  {} ({}): {}", printable(written->version.id), printable(written->version.step),
                     printable(written->version.why)));
  } else if (const auto* ranked = std::get_if<kernel::RungRanked>(&event.body)) {
    line("  " + printable(rung_line(*ranked)));
  } else if (const auto* registered = std::get_if<kernel::ExperimentRegistered>(&event.body)) {
    int runs = 0;
    for (const int n : registered->registration.replicates) runs += n;
    line(fmt::format("  {} registered: {}, {}, registration {}", registered->registration.experiment,
                     number_of(registered->registration.cells.size(), "cell"),
                     number_of(static_cast<std::size_t>(runs), "run"), registered->hash.substr(0, 12)));
  } else if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body)) {
    if (ended->state != kernel::RunState::succeeded && study.counted.in[static_cast<std::size_t>(ended->state)] <= 5)
      line(fmt::format("  {} {}: {}", study.run_id(ended->run), name(ended->state),
                       ended->state == kernel::RunState::invalid && is_registered(*ended, study)
                           ? session::withheld_reason
                           : printable(ended->reason)));
  } else if (const auto* look = std::get_if<kernel::InterimLook>(&event.body)) {
    std::vector<std::string> decided;
    for (const kernel::HypothesisResult& r : look->results)
      decided.push_back(fmt::format("{} {}", r.id, name(r.verdict)));
    line(fmt::format("  look {} of {} at {:.4g} % of the replicates: {}; {} go on", look->number, look->experiment,
                     100 * look->share,
                     decided.empty() ? "nothing is decided" : fmt::format("{}", fmt::join(decided, ", ")),
                     look->going_on.size()));
  } else if (const auto* batch = std::get_if<kernel::BatchOpened>(&event.body)) {
    line(fmt::format("  batch {}: {}", batch->batch, printable(batch->why)));
  } else if (const auto* amended = std::get_if<kernel::WorkspaceAmended>(&event.body)) {
    line(fmt::format("  code amended: {}", printable(amended->why)));
  } else if (const auto* withdrawn = std::get_if<kernel::HypothesisWithdrawn>(&event.body)) {
    line(fmt::format("  {} withdrawn: {}", withdrawn->hypothesis, printable(withdrawn->why)));
  } else if (const auto* paused = std::get_if<kernel::StudyPaused>(&event.body)) {
    line(
        fmt::format("  paused ({}){}", paused->reason, paused->detail.empty() ? "" : ": " + printable(paused->detail)));
  } else if (const auto* gate = std::get_if<kernel::GateOpened>(&event.body)) {
    if (gate->gate.on == kernel::GateOn::question)
      line(fmt::format(
          "  an agent asks ({0}): {1}\n  `etude approve {0} --why \"the answer\"`, or `etude reject {0} --why \"…\"`",
          gate->gate.id, printable(gate->gate.what)));
    else
      line(fmt::format("  waits at gate {0} ({1}): {2}?{3}\n  `etude approve {0}`, or `etude reject {0} --why \"…\"`",
                       gate->gate.id, name(gate->gate.on), printable(gate->gate.what),
                       gate->gate.arguments.empty() ? "" : "\n  " + printable(gate->gate.arguments.substr(0, 2000))));
  } else if (const auto* decided = std::get_if<kernel::GateDecided>(&event.body)) {
    line(fmt::format("  gate {} {}{}", decided->gate, decided->approved ? "approved" : "rejected",
                     decided->why.empty() ? "" : ": " + printable(decided->why)));
  } else if (const auto* stopped = std::get_if<kernel::ArmStopped>(&event.body)) {
    line(fmt::format("  {}: {}", stopped->experiment, printable(stopped->reason)));
  } else if (const auto* cancelled = std::get_if<kernel::CancellationRequested>(&event.body)) {
    line("  cancelled: " + printable(cancelled->why));
  } else if (const auto* steered = std::get_if<kernel::StudySteered>(&event.body)) {
    line("  steered: " + printable(steered->text));
  } else if (const auto* opened = std::get_if<kernel::LineOpened>(&event.body)) {
    line(fmt::format("  {} begins", opened->line));
  } else if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) {
    if (!answered->end.failure.empty())
      line(fmt::format("  {}: {}", line_of(study, answered->call), printable(answered->end.failure)));
  } else if (const auto* returned = std::get_if<kernel::ToolReturned>(&event.body)) {
    line(fmt::format("  {}: {}{}", line_of(study, returned->call), printable(returned->answer.tool),
                     returned->answer.refused ? " refused" : ""));
  } else if (const auto* over = std::get_if<kernel::LineEnded>(&event.body)) {
    line(fmt::format("  {} ended: {}", over->line, printable(over->ending)));
  } else if (std::get_if<kernel::StudyResumed>(&event.body)) {
    line(fmt::format("study {}: {} (resumed at {})", study.id, printable(study.spec.title), name(study.phase())));
  }
}

void LiveView::line(const std::string& text) {
  if (style_ == Style::json_lines || style_ == Style::silent) return;
  clear();
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void LiveView::status(const kernel::Study& study, bool ended) {
  const Progress progress = progress_of(study);
  if (style_ == Style::plain) {
    // One line per tenth of the measuring, so that a log shows the progress.
    if (study.phase() != kernel::Phase::measuring || progress.all == 0 || !ended) return;
    const int tenths = progress.done * 10 / progress.all;
    if (tenths == printed_tenths_) return;
    printed_tenths_ = tenths;
    line(fmt::format("  {} of {} runs ended{}", progress.done, progress.all, bad_runs(study)));
    return;
  }
  if (study.last_boot_ms - status_ms_ < 100 && status_shown_) return;
  status_ms_ = study.last_boot_ms;
  std::string text = progress.what;
  if (progress.all > 0)
    text += fmt::format(" [{}] {}/{}",
                        bar(static_cast<std::uint64_t>(progress.done), static_cast<std::uint64_t>(progress.all)),
                        progress.done, progress.all);
  text += fmt::format(" · {} running{} · {:.0f} s", study.live.size(), bad_runs(study), study.wall_spent_s());
  const auto width = static_cast<std::size_t>(std::max(20, terminal_width(STDERR_FILENO) - 1));
  if (text.size() > width) text.resize(width);
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  status_shown_ = true;
}

void LiveView::finish() {
  const std::lock_guard lock(mutex_);
  clear();
}

void LiveView::clear() {
  if (!status_shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  status_shown_ = false;
}

void LiveView::said(const std::string& speaker, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!listens()) return;
  if (style_ == Style::json_lines) {
    print_json_line({{"type", "text"}, {"line", speaker}, {"text", text}});
    std::fflush(stdout);
    return;
  }
  if (speaker != speaker_) print_words(true);
  speaker_ = speaker;
  words_ += text;
  style_ == Style::terminal ? show_words() : print_words(false);
}

/// Shows the end of the text on the status line.
void LiveView::show_words() {
  constexpr std::size_t most = 2048;
  if (words_.size() > most) words_.erase(0, words_.size() - most);
  const int width = std::max(20, terminal_width(STDERR_FILENO) - 1);
  const std::string name = cut(one_line(speaker_), width / 2) + ": ";
  fmt::print(stderr, "\r\033[K{}{}", name, tail(one_line(words_), width - columns_of(name)));
  std::fflush(stderr);
  status_shown_ = true;
}

void LiveView::print_words(bool all) {
  constexpr std::size_t longest = 4096;
  if (style_ == Style::plain)
    while (!words_.empty()) {
      const std::size_t end = words_.find('\n');
      if (end == words_.npos && !all && words_.size() < longest) return;
      line(fmt::format("  {} | {}", printable(speaker_), one_line(std::string_view(words_).substr(0, end))));
      words_.erase(0, end == words_.npos ? end : end + 1);
    }
  words_.clear();
}

}  // namespace cli
