#include "apps/cli/views/live_view.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/command_context.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/views/milestone.h"
#include "apps/session/home/system_clock.h"
#include "apps/session/watch/public_view.h"
#include "kernel/domain/enum_names.h"
#include "kernel/loop/admission.h"
#include "prose/numbers.h"

namespace cli {

LiveView::Style LiveView::style_for(bool as_json) {
  if (as_json) return Style::json_lines;
  const char* kind = std::getenv("TERM");
  const bool moves = !kind || std::string_view(kind) != "dumb";
  return moves && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) ? Style::terminal : Style::plain;
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
  if (study.state == kernel::StudyState::running)
    status(study, std::holds_alternative<kernel::RunEnded>(event.body),
           std::holds_alternative<kernel::RunStarted>(event.body));
}

void LiveView::refused(const kernel::Command& command, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  // Only refused requests of people and agents are news; the kernel's own may simply be late.
  if (command.actor != kernel::kernel_actor) line(fmt::format("refused ({}): {}", command.actor, printable(reason)));
}

void LiveView::executor_waits(const std::string& why) {
  const std::lock_guard lock(mutex_);
  line(why.empty() ? "  jobs continue" : "  jobs wait: " + printable(why));
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

void LiveView::status(const kernel::Study& study, bool ended, bool begun) {
  if (style_ == Style::plain) {
    const Progress progress = progress_of(study);
    // One line per tenth of the measuring, so that a log shows the progress.
    if (study.phase() != kernel::Phase::measuring || progress.all == 0 || !ended) return;
    const int tenths = progress.done * 10 / progress.all;
    if (tenths == printed_tenths_) return;
    printed_tenths_ = tenths;
    line(fmt::format("  {} of {} runs ended{}{}", progress.done, progress.all, bad_runs(study), left_words(study)));
    return;
  }
  const bool soon = study.last_boot_ms - status_ms_ < 100 && block_.shown();
  if (soon && !begun) return;
  status_ = status_of(study);
  // A watcher that comes later gets old events, too.
  const session::SystemClock clock;
  const bool this_boot = study.boot_id == clock.boot_id();
  const std::int64_t age_ms = this_boot ? std::max<std::int64_t>(0, clock.now().boot_ms - study.last_boot_ms) : 0;
  status_at_ = std::chrono::steady_clock::now() - std::chrono::milliseconds(age_ms);
  if (soon) return;
  status_ms_ = study.last_boot_ms;
  draw_status();
  if (clock_.joinable() || !newest_) return;
  ends_ = false;
  clock_ = std::thread([this] { go_on(); });
}

void LiveView::draw_status() {
  const std::chrono::duration<double> later = std::chrono::steady_clock::now() - status_at_;
  lines_ = status_lines(status_, later.count(), [this](const OpenRun& run) {
    const auto known = values_.find(run.launch);
    return known == values_.end() ? std::nullopt : std::optional(known->second);
  });
  draw();
}

void LiveView::go_on() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; })) {
    if (!block_.shown()) continue;
    const std::vector<LiveStatus::Line> lines = status_.lines;
    // Reading may be slow, and events must not wait for it.
    lock.unlock();
    std::map<kernel::LaunchToken, session::NewestValue> values;
    for (const LiveStatus::Line& line : lines)
      if (const auto value = line.run ? newest_(*line.run) : std::nullopt) values.emplace(line.run->launch, *value);
    lock.lock();
    values_ = std::move(values);
    if (block_.shown()) draw_status();
  }
}

LiveView::~LiveView() {
  finish();
}

void LiveView::warn(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear();
  fmt::print(stderr, "etude: {}\n", printable(text));
}

void LiveView::finish() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    clear();
  }
  over_.notify_all();
  if (clock_.joinable()) clock_.join();
}

void LiveView::clear() {
  block_.clear();
}

/// The status, and below it the end of what a model is saying.
void LiveView::draw() {
  std::vector<std::string> lines = lines_;
  if (!words_.empty()) {
    const int width = std::max(20, terminal_width(STDERR_FILENO) - 1);
    const std::string name = cut(one_line(speaker_), width / 2) + ": ";
    lines.push_back(name + tail(one_line(words_), width - columns_of(name)));
  }
  block_.show(lines);
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

void LiveView::show_words() {
  constexpr std::size_t most = 2048;
  if (words_.size() > most) words_.erase(0, words_.size() - most);
  draw();
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
