#include "apps/cli/views/live_view.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/command_context.h"
#include "apps/cli/terminal/progress_bar.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/views/milestone.h"
#include "apps/session/watch/public_view.h"
#include "kernel/domain/enum_names.h"
#include "kernel/loop/admission.h"
#include "kernel/outlook/time_left.h"
#include "prose/numbers.h"

namespace cli {

namespace {

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

std::string bad_runs(const kernel::RunBoard& board) {
  std::string text;
  for (const kernel::RunState state : kernel::enumerators<kernel::RunState>()) {
    const int count = board.counted.in[static_cast<std::size_t>(state)];
    if (count > 0 && kernel::is_bad_end(state)) text += fmt::format(" · {} {}", count, name(state));
  }
  return text;
}

/// " · about 8 s left"; empty if it is not known.
std::string left_words(const kernel::Study& study) {
  const auto left = kernel::time_left(study);
  if (!left || !left->wall_s) return "";
  return fmt::format(" · about {} left{}", prose::duration_text(left->wall_s->value), left->open ? ", and more" : "");
}

}  // namespace

LiveView::Style LiveView::style_for(bool as_json) {
  if (as_json) return Style::json_lines;
  return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) ? Style::terminal : Style::plain;
}

void LiveView::committed(const kernel::Event& event, const kernel::State& state) {
  const std::lock_guard lock(mutex_);
  if (when_open_) std::exchange(when_open_, {})(*state.study(event.study));
  if (style_ == Style::json_lines) {
    const auto* ended = std::get_if<kernel::RunEnded>(&event.body);
    print_json_line(session::event_shape(event, ended && is_registered(*ended, *state.study(event.study))));
    std::fflush(stdout);
    return;
  }
  if (style_ == Style::silent) return;
  if (std::holds_alternative<kernel::ModelAnswered>(event.body)) print_words(true);
  const kernel::Study& study = *state.study(event.study);
  if (const auto text = milestone(event.body, study)) line(*text);
  if (study.state == kernel::StudyState::running) status(study, std::holds_alternative<kernel::RunEnded>(event.body));
}

void LiveView::refused(const kernel::Command& command, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  // Only refused requests of people and agents are news; the kernel's own may simply be late.
  if (command.actor != kernel::kernel_actor) line(fmt::format("refused ({}): {}", command.actor, printable(reason)));
}

void LiveView::executor_waits(const std::string& why) {
  const std::lock_guard lock(mutex_);
  line(why.empty() ? "  jobs go on" : "  jobs wait: " + printable(why));
}

void LiveView::memory_is_short(const kernel::MemoryShortage& shortage) {
  const std::lock_guard lock(mutex_);
  const auto size = [](std::int64_t bytes) { return prose::bytes_text(bytes); };
  const std::string device = shortage.on_device ? "the largest device" : "this machine";
  line(fmt::format("  {}-r{} waits for all memory of {}, {}, of which {} are free: it is expected to take {}",
                   shortage.study, shortage.run, device, size(shortage.all_bytes), size(shortage.free_bytes),
                   size(shortage.forecast_bytes)));
}

void LiveView::line(const std::string& text) {
  if (style_ == Style::json_lines || style_ == Style::silent) return;
  clear();
  print_text(text + "\n");
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
    line(fmt::format("  {} of {} runs ended{}{}", progress.done, progress.all, bad_runs(study), left_words(study)));
    return;
  }
  if (study.last_boot_ms - status_ms_ < 100 && status_shown_) return;
  status_ms_ = study.last_boot_ms;
  std::string text = progress.what;
  if (progress.all > 0)
    text += fmt::format(" [{}] {}/{}",
                        bar(static_cast<std::uint64_t>(progress.done), static_cast<std::uint64_t>(progress.all)),
                        progress.done, progress.all);
  text += fmt::format(" · {} running{} · {:.0f} s{}", study.live.size(), bad_runs(study), study.wall_spent_s(),
                      left_words(study));
  print_text("\r\033[K" + cut(text, std::max(20, terminal_width(STDERR_FILENO) - 1)), stderr);
  std::fflush(stderr);
  status_shown_ = true;
}

void LiveView::warn(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear();
  fmt::print(stderr, "etude: {}\n", printable(text));
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
