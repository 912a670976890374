#include "kernel/measure/measure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "kernel/codec/json_types.h"
#include "kernel/measure/metric_sources.h"

namespace kernel {

namespace {

/// Names that jobs choose may be long or contain control characters.
std::string in_ticks(std::string_view name) {
  const std::string_view shown = utf8_prefix(name, 40);
  std::string out = "`";
  for (const char c : shown) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  if (name.size() > shown.size()) out += "…";
  return out + "`";
}

/// Reads every source once and records why a source gave no value.
class OutputReader {
 public:
  OutputReader(const StudySpec& spec, const Sources& sources) : spec_(spec), sources_(sources) {
    read_metric_lines(sources.metrics_file, found_);
    std::set<std::string> elsewhere;
    for (const Metric& m : spec.metrics)
      if (!std::holds_alternative<FromMetricsFile>(m.source)) elsewhere.insert(m.name);
    if (!elsewhere.empty())
      std::erase_if(found_.points, [&](const MetricPoint& p) {
        if (!elsewhere.contains(p.name)) return false;
        if (spec.from_evaluator(p.name)) ignored_.insert(p.name);
        return true;
      });
    read_evaluator();
    for (const Metric& m : spec.metrics) std::visit([&](const auto& source) { read_or_plan(m, source); }, m.source);
    for (const auto& [path, keys] : files_) read_file(path, keys);
    for (const MetricPoint& p : found_.points) series_[p.name].push_back(&p);
  }

  Series series(const std::string& metric) const {
    const auto it = series_.find(metric);
    return it == series_.end() ? Series() : Series(it->second);
  }

  /// Reason why the metric has no value; may be empty.
  Reason why_none(const Metric& metric) const {
    const std::string& name = metric.summary.kind == SummaryKind::time_to ? metric.summary.target_metric : metric.name;
    if (const auto n = series(name).size(); n > 0)
      return {ReasonCode::all_warm_up, {{"values", static_cast<std::int64_t>(n)}}};
    if (const auto it = found_.unread.find(name); it != found_.unread.end())
      return {ReasonCode::no_number, {{"text", in_ticks(it->second)}}};
    if (const auto it = why_.find(name); it != why_.end()) return it->second;
    if (spec_.from_evaluator(name)) return {ReasonCode::evaluator_wrote_none};
    if (!sources_.metrics_problem.empty()) return sources_.metrics_problem;
    if (sources_.metrics_file.empty()) return {ReasonCode::job_wrote_nothing};
    std::set<std::string_view> reported;
    for (const auto& [name_reported, points] : series_) reported.insert(name_reported);
    std::vector<std::string> names;
    for (const std::string_view r : reported)
      if (names.size() < 5) names.push_back(in_ticks(r));
    if (names.empty()) return {};
    return {ReasonCode::job_reported, {{"names", fmt::format("{}", fmt::join(names, ", "))}}};
  }

  /// Reason why not all reported data was read; empty if it was.
  Reason incomplete() const {
    if (!sources_.metrics_problem.empty()) return sources_.metrics_problem;
    if (!sources_.evaluator_problem.empty())
      return {ReasonCode::evaluator_problem, {{"problem", std::vector{sources_.evaluator_problem}}}};
    if (!refused_.empty()) return refused_;
    return found_.full ? Reason{ReasonCode::too_many_points, {{"most", static_cast<std::int64_t>(most_points)}}}
                       : Reason();
  }

  void finish(Measured& out) {
    out.measurement.points = static_cast<std::int64_t>(found_.points.size());
    out.measurement.malformed = found_.malformed;
    out.measurement.ignored.assign(ignored_.begin(), ignored_.end());
    series_.clear();
    out.points = std::move(found_.points);
  }

  /// True if the evaluator had to report metrics and reported none.
  bool evaluator_is_silent() const {
    if (sources_.tier == Tier::none) return false;
    const auto silent = [&](const Metric& m) { return !spec_.from_evaluator(m.name) || series(m.name).empty(); };
    return std::ranges::all_of(spec_.metrics, silent);
  }

 private:
  /// The evaluator's values for metrics of another source are ignored, like a job's values for the evaluator's metrics.
  void read_evaluator() {
    Found own;
    read_metric_lines(sources_.evaluator_file, own);
    found_.malformed += own.malformed;
    found_.full = found_.full || own.full;
    for (MetricPoint& p : own.points)
      if (!spec_.metric(p.name) || spec_.from_evaluator(p.name)) found_.add(std::move(p));
  }

  // Both metrics files have been read, and each result file is read once.
  void read_or_plan(const Metric&, const FromMetricsFile&) {}
  void read_or_plan(const Metric&, const FromEvaluator&) {}
  void read_or_plan(const Metric& m, const FromJsonFile& from) {
    files_[from.file].values.emplace_back(m.name, from.pointer);
  }
  void read_or_plan(const Metric& m, const FromJsonLines& from) {
    files_[from.file].lines.push_back({m.name, from.key, from.step});
  }
  void read_or_plan(const Metric& m, const FromCsv& from) {
    files_[from.file].columns.push_back({m.name, from.key, from.step});
  }
  void read_or_plan(const Metric& m, const FromStdout& from) {
    try {
      read_pattern(sources_.stdout_text, m.name, from.pattern, found_);
      why_[m.name] = {ReasonCode::nothing_matches, {{"pattern", in_ticks(from.pattern)}}};
    } catch (const std::regex_error&) {
      why_[m.name] = {ReasonCode::pattern_unusable,
                      {{"pattern", in_ticks(from.pattern)}, {"problem", pattern_problem(from.pattern)}}};
    }
  }

  /// Metrics of one file with their JSON pointers, and with their keys in JSON lines or columns.
  struct FileKeys {
    std::vector<std::pair<std::string, std::string>> values;
    std::vector<LineKey> lines, columns;
  };

  /// Reads files in sequence, so that only one is in memory at a time.
  void read_file(const std::string& path, const FileKeys& keys) {
    const FileText file = sources_.read_file ? sources_.read_file(path) : FileText(std::nullopt);
    if (!file.text) {
      Reason why = {ReasonCode::file_not_written, {{"file", in_ticks(path)}}};
      if (!file.problem.empty()) why = {ReasonCode::file_unread, {{"file", in_ticks(path)}, {"problem", file.problem}}};
      for (const auto& [metric, pointer] : keys.values) why_[metric] = why;
      for (const LineKey& key : keys.lines) why_[key.metric] = why;
      for (const LineKey& key : keys.columns) why_[key.metric] = why;
      if (file.refused && refused_.empty()) refused_ = why;
      return;
    }
    for (const auto& [metric, pointer] : keys.values) {
      const std::int64_t malformed = found_.malformed;
      read_json_value(*file.text, metric, pointer, found_);
      why_[metric] = {found_.malformed > malformed ? ReasonCode::no_readable_number : ReasonCode::nothing_at,
                      {{"file", in_ticks(path)}, {"pointer", in_ticks(pointer)}}};
    }
    if (!keys.columns.empty()) read_table(path, *file.text, keys.columns);
    if (keys.lines.empty()) return;
    read_json_lines(*file.text, keys.lines, found_);
    for (const LineKey& key : keys.lines)
      why_[key.metric] = {ReasonCode::no_line_with, {{"file", in_ticks(path)}, {"key", in_ticks(key.key)}}};
  }

  void read_table(const std::string& path, std::string_view text, const std::vector<LineKey>& keys) {
    const std::vector<std::string> missing = read_csv(text, keys, found_);
    for (const LineKey& key : keys) {
      const auto is = [&](ReasonCode code, const std::string& column) {
        return Reason{code, {{"file", in_ticks(path)}, {"column", in_ticks(column)}}};
      };
      why_[key.metric] = is(ReasonCode::no_number_in_column, key.key);
      for (const std::string& column : {key.step, key.key})
        if (std::ranges::find(missing, column) != missing.end()) why_[key.metric] = is(ReasonCode::no_column, column);
    }
  }

  const StudySpec& spec_;
  const Sources& sources_;
  std::map<std::string, FileKeys> files_;
  Found found_;
  std::map<std::string, Reason> why_;
  Reason refused_;
  std::set<std::string> ignored_;
  std::unordered_map<std::string_view, std::vector<const MetricPoint*>> series_;
};

Reason guard_failure(const Guard& guard, const std::map<std::string, MetricValue>& values) {
  const auto it = values.find(guard.metric);
  const std::string metric = in_ticks(guard.metric);
  if (it == values.end()) return {ReasonCode::guard_without_value, {{"metric", metric}}};
  const MetricValue& v = it->second;
  if (!std::isfinite(v.value))
    return {ReasonCode::guard_not_finite, {{"metric", metric}, {"value", std::string(not_finite_name(v.value))}}};
  const auto beyond = [&](ReasonCode code, double bound) {
    return Reason{code, {{"metric", metric}, {"value", v.value}, {"bound", bound}}};
  };
  if (guard.at_most && v.value > *guard.at_most) return beyond(ReasonCode::guard_above, *guard.at_most);
  if (guard.at_most && v.censored) return beyond(ReasonCode::guard_censored, *guard.at_most);
  if (guard.at_least && v.value < *guard.at_least) return beyond(ReasonCode::guard_below, *guard.at_least);
  return {};
}

void put_string(std::string_view text, std::string& out) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f; });
  if (plain)
    out.append("\"").append(text).append("\"");
  else
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

/// Why a run without a value of the metric has failed.
static Reason no_value(const Metric& metric, Reason why) {
  Reason reason = {metric.primary ? ReasonCode::no_primary_value : ReasonCode::no_base_value,
                   {{"metric", in_ticks(metric.name)}}};
  if (!why.empty())
    reason.values["why"] = std::vector{Reason{ReasonCode::because, {{"why", std::vector{std::move(why)}}}}};
  return reason;
}

/// In captured studies without declarations the last value of each reported metric counts.
static void take_last(Measured& measured) {
  constexpr std::size_t most_names = 200;
  std::map<std::string, MetricValue>& values = measured.measurement.values;
  for (const MetricPoint& point : measured.points) {
    if (!std::isfinite(point.value) || (values.size() >= most_names && !values.contains(point.name))) continue;
    values[point.name] = {point.value, point.censored, false};
  }
}

/// The metrics that hypotheses with `unit: item` test.
static std::set<std::string> metrics_by_item(const StudySpec& spec) {
  std::set<std::string> names;
  const auto add = [&](const Hypothesis& h) {
    if (h.unit != TestUnit::item) return;
    names.insert(h.metric);
    for (const Requirement& required : h.requirements) names.insert(required.metric);
  };
  for (const Hypothesis& h : spec.hypotheses) add(h);
  if (spec.design.planted) add(*spec.design.planted);
  return names;
}

Measured measure(const StudySpec& spec, const Sources& sources) {
  OutputReader reading(spec, sources);
  Measured out;
  Measurement& m = out.measurement;
  const auto fail = [&m](Reason reason) {
    if (!m.verdict) m.reason = std::move(reason);
    m.verdict = RunState::failed;
  };
  const Metric* needed = nullptr;  // A run without a value of it has failed.
  for (const Metric& metric : spec.metrics)
    if (metric.primary) needed = &spec.reported(metric);
  const auto unscored = [&](const std::string& metric) {
    return sources.tier == Tier::none && spec.from_evaluator(metric);
  };
  if (reading.evaluator_is_silent()) fail({ReasonCode::evaluator_silent});
  for (const Metric& metric : spec.metrics) {
    if (metric.derived) continue;
    const bool time_to = metric.summary.kind == SummaryKind::time_to;
    const Metric* target = time_to ? spec.metric(metric.summary.target_metric) : nullptr;
    const Summarised s = summarise(metric, reading.series(time_to ? metric.summary.target_metric : metric.name),
                                   target ? target->goal : Goal::minimize);
    if (s.value) m.values[metric.name] = *s.value;
    if (s.broken)
      fail({metric.on_nan == OnNan::censor ? ReasonCode::metric_never_finite : ReasonCode::metric_not_finite,
            {{"metric", in_ticks(metric.name)}, {"value", std::string(not_finite_name(*s.broken))}}});
    else if (&metric == needed && !s.value && !unscored(metric.name))
      fail(no_value(metric, reading.why_none(metric)));
  }
  constexpr std::size_t most_items = 20000;  // Every one is a part of an event.
  for (const std::string& metric : metrics_by_item(spec)) {
    std::map<std::string, double> items;
    std::int64_t unnamed = 0;
    for (const MetricPoint* point : reading.series(metric)) {
      if (point->item.empty()) {
        ++unnamed;
        continue;
      }
      if (!items.emplace(point->item, point->value).second)
        fail({ReasonCode::item_twice, {{"metric", in_ticks(metric)}, {"item", point->item}}});
      if (!std::isfinite(point->value))
        fail({ReasonCode::metric_not_finite,
              {{"metric", in_ticks(metric)}, {"value", std::string(not_finite_name(point->value))}}});
    }
    if (unnamed > 0 && !items.empty())
      fail({ReasonCode::lines_without_item, {{"lines", unnamed}, {"metric", in_ticks(metric)}}});
    std::erase_if(items, [](const auto& item) { return !std::isfinite(item.second); });
    if (items.size() > most_items)
      fail({ReasonCode::too_many_items,
            {{"most", static_cast<std::int64_t>(most_items)}, {"metric", in_ticks(metric)}}});
    else if (!items.empty())
      m.items[metric] = std::move(items);
  }
  for (const Guard& guard : spec.guards) {
    if (m.verdict) break;
    if (unscored(guard.metric)) continue;
    m.reason = guard_failure(guard, m.values);
    if (!m.reason.empty()) m.verdict = RunState::invalid;
  }
  if (Reason why = reading.incomplete(); !why.empty() && !m.verdict) {
    m.verdict = RunState::invalid;
    m.reason = std::move(why);
  }
  reading.finish(out);
  if (spec.captured()) take_last(out);
  return out;
}

Measured measure_points(const Sources& sources) {
  return measure(StudySpec{}, sources);
}

std::string points_jsonl(const std::vector<MetricPoint>& points) {
  std::string out;
  // Generous: untouched memory is free, but growth by doubling is not.
  std::size_t most = 0;
  for (const MetricPoint& p : points) most += 112 + p.name.size() + p.item.size();
  out.reserve(most);
  char number[40];
  for (const MetricPoint& p : points) {
    out += p.censored ? "{\"censored\":true," : "{";
    if (!p.item.empty()) {
      out += "\"item\":";
      put_string(p.item, out);
      out += ',';
    }
    out += "\"name\":";
    put_string(p.name, out);
    if (p.step) {
      out += ",\"step\":";
      out.append(number, std::to_chars(number, number + sizeof number, *p.step).ptr);
    }
    out += ",\"value\":";
    if (std::isfinite(p.value))
      out.append(number, std::to_chars(number, number + sizeof number, p.value).ptr);
    else
      out.append("\"").append(not_finite_name(p.value)).append("\"");
    out += "}\n";
  }
  return out;
}

std::vector<MetricPoint> points_from_jsonl(std::string_view text) {
  Found found;
  read_metric_lines(text, found);
  return std::move(found.points);
}

}  // namespace kernel
