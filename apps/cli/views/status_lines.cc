#include "apps/cli/views/status_lines.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "apps/cli/terminal/progress_bar.h"
#include "apps/cli/terminal/terminal_text.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/outlook/time_left.h"
#include "kernel/study/at_work.h"
#include "kernel/study/ledger.h"
#include "kernel/study/search_scores.h"
#include "prose/numbers.h"

namespace cli {

namespace {

constexpr int most_running = 4;
constexpr std::size_t newest_runs = 100;

std::string used_of(const char* what, const kernel::Amount& used, std::optional<double> most,
                    const std::function<std::string(double)>& text) {
  if (!most && used.spent <= 0) return "";
  return fmt::format("{}{} {}{}", " · ", what, text(used.spent), most ? " of " + text(*most) : "");
}

/// Limits that are set, and money and GPU hours that were spent without one.
std::string budget_line(const kernel::Study& study) {
  const kernel::Budget& limits = study.spec.budget;
  const kernel::Spending used = kernel::spending_of(study, {0, study.last_boot_ms});
  const auto number = [](double value) { return prose::rounded(value); };
  const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
  const auto duration = [](double value) { return prose::duration_text(value); };
  std::string text;
  if (limits.runs) text += used_of("runs", used.runs, static_cast<double>(*limits.runs), whole);
  if (limits.wall_s) text += used_of("time", used.wall_s, limits.wall_s, duration);
  text += used_of("USD", used.usd, limits.usd, number);
  if (limits.tokens) text += used_of("tokens", used.tokens, static_cast<double>(*limits.tokens), whole);
  text += used_of("GPU hours", used.gpu_hours, limits.gpu_hours, number);
  return text.empty() ? "" : "  budget" + text;
}

std::string run_line(const kernel::Study& study, const kernel::Run& run) {
  const std::string cell = kernel::words_of(study.cells[static_cast<std::size_t>(run.cell)]);
  return fmt::format("  r{} {}{}{}{}", run.number, name(run.purpose), run.stage.empty() ? "" : ", stage " + run.stage,
                     cell.empty() ? "" : ", ", one_line(cell));
}

std::optional<OpenRun> open_run(const kernel::Study& study, const kernel::Run& run) {
  const bool open = run.purpose == kernel::Purpose::search || run.purpose == kernel::Purpose::scratch;
  if (!open || run.state != kernel::RunState::running) return std::nullopt;
  const kernel::Metric& metric = study.spec.primary();
  // Of another source, what the job writes under this name is not the metric.
  if (metric.derived || !std::holds_alternative<kernel::FromMetricsFile>(metric.source)) return std::nullopt;
  return OpenRun{study.id, run.token, metric.name, metric.unit};
}

void add_running(const kernel::Study& study, std::vector<LiveStatus::Line>& lines) {
  const int running = runs_at_work(study);
  std::vector<const kernel::Run*> live;
  for (const int number : study.live) live.push_back(study.run(number));
  // Some that are starting may wait for their turn.
  std::ranges::stable_partition(live, [](const kernel::Run* run) { return run->state == kernel::RunState::running; });
  live.resize(std::min(live.size(), static_cast<std::size_t>(std::min(running, most_running))));
  for (const kernel::Run* run : live) lines.push_back({run_line(study, *run), open_run(study, *run)});
  if (running > most_running) lines.push_back({fmt::format("  and {} more running", running - most_running)});
}

/// Of a run whose value is no evidence.
std::string last_value(const kernel::Study& study) {
  const kernel::Metric& metric = study.spec.primary();
  std::size_t looked_at = 0;
  for (auto run = study.runs.rbegin(); run != study.runs.rend() && looked_at++ < newest_runs; ++run) {
    if (run->purpose != kernel::Purpose::search && run->purpose != kernel::Purpose::scratch) continue;
    const auto value = run->measurement.values.find(metric.name);
    if (!run->ended() || value == run->measurement.values.end()) continue;
    return fmt::format("  last value: {} = {} (r{} {})", metric.name,
                       prose::with_unit(prose::rounded(value->second.value), metric.unit), run->number,
                       one_line(kernel::words_of(study.cells[static_cast<std::size_t>(run->cell)])));
  }
  return "";
}

std::string left_words(double seconds, bool more) {
  return fmt::format(" · about {} left{}", prose::duration_text(seconds), more ? ", and more" : "");
}

/// The most runs that are not queued yet: by the plan, and within the budget. None if neither says it.
std::optional<int> runs_to_come(const kernel::Study& study) {
  const auto waiting = static_cast<std::int64_t>(study.queue.size() + study.blocked.size());
  std::optional<std::int64_t> come;
  if (const auto left = kernel::time_left(study); !left || !left->open)
    come = left ? left->most_runs - static_cast<std::int64_t>(study.live.size()) - waiting : 0;
  if (const auto within = kernel::runs_left(study.spec.budget, study))
    come = come ? std::min(*come, *within - waiting) : *within - waiting;
  if (!come) return std::nullopt;
  return static_cast<int>(std::max<std::int64_t>(0, *come));
}

}  // namespace

Progress progress_of(const kernel::Study& study) {
  const int all = static_cast<int>(study.runs.size());
  switch (study.phase()) {
    case kernel::Phase::checking:
      return {"manipulation check", all - study.pending_smoke, all};
    case kernel::Phase::sizing:
      return {"pilot", all - study.pending_pilot, all};
    case kernel::Phase::searching: {
      const std::optional<int> come = runs_to_come(study);
      return {"searching", all - (study.search ? study.search->pending : 0), all + come.value_or(0), !come};
    }
    case kernel::Phase::measuring: {
      int pending = 0;
      for (const kernel::Experiment& e : study.experiments) pending += e.pending;
      return {"measuring", all - pending, all + runs_to_come(study).value_or(0)};
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

std::string left_words(const kernel::Study& study) {
  const auto left = kernel::time_left(study);
  return left && left->wall_s ? left_words(left->wall_s->value, left->open) : "";
}

LiveStatus status_of(const kernel::Study& study) {
  const Progress progress = progress_of(study);
  LiveStatus status;
  status.head = progress.what;
  // 80 columns have room for the time left.
  const std::size_t width = progress.what.size() > 10 ? 10 : 20;
  if (progress.open)
    // A bar of the runs that are queued so far would be nearly full all the time.
    status.head += fmt::format(" {}, more to come", prose::counted(progress.done, "run"));
  else if (progress.all > 0)
    status.head += fmt::format(
        " [{}] {}/{}", bar(static_cast<std::uint64_t>(progress.done), static_cast<std::uint64_t>(progress.all), width),
        progress.done, progress.all);
  status.head += fmt::format(" · {} running{} · ", runs_at_work(study), bad_runs(study));
  status.wall_s = study.wall_spent_s();
  status.time_goes_on = study.session_open;
  if (const auto left = kernel::time_left(study); left && left->wall_s) {
    status.left_s = left->wall_s->value;
    status.more_left = left->open;
  }
  add_running(study, status.lines);
  const auto add = [&](std::string line) {
    if (!line.empty()) status.lines.push_back({std::move(line)});
  };
  add(last_value(study));
  add(budget_line(study));
  if (!study.integrity.empty())
    add(fmt::format("  {}: `etude show {}` says which",
                    prose::counted(static_cast<long long>(study.integrity.size()), "warning"), study.id));
  return status;
}

std::vector<std::string> status_lines(const LiveStatus& status, double later_s, const ReadNewest& newest) {
  const double passed = status.time_goes_on ? later_s : 0;
  std::vector<std::string> lines = {
      fmt::format("{}{:.0f} s{}", status.head, status.wall_s + passed,
                  status.left_s ? left_words(std::max(0.0, *status.left_s - passed), status.more_left) : "")};
  for (const LiveStatus::Line& line : status.lines) {
    lines.push_back(line.text);
    const auto value = line.run && newest ? newest(*line.run) : std::nullopt;
    if (!value) continue;
    lines.back() +=
        fmt::format(": {} = {}", line.run->metric, prose::with_unit(prose::rounded(value->value), line.run->unit));
    if (value->step) lines.back() += fmt::format(" at step {}", *value->step);
  }
  return lines;
}

}  // namespace cli
