#include <algorithm>

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/table.h"
#include "apps/cli/views/study_parts.h"
#include "apps/cli/views/study_text.h"
#include "base/shell_text.h"
#include "kernel/domain/enum_names.h"

namespace cli {

using nlohmann::json;

namespace {

using Names = std::vector<std::string>;

void add_names(const json& object, Names& names) {
  for (const auto& [name, value] : object.items())
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

Names metric_names(const json& study, const std::vector<json>& runs) {
  Names names;
  for (const json& metric : study.value("metrics", json::array())) names.push_back(metric.at("name"));
  for (const json& run : runs) add_names(run.at("metrics"), names);
  return names;
}

std::string titled(const json& study, const std::string& metric) {
  for (const json& known : study.value("metrics", json::array()))
    if (known.at("name") == metric && known.at("unit").is_string() && known.at("unit") != "1")
      return metric + " [" + text_at(known, "unit") + "]";
  return metric;
}

std::string level_text(const json& run, const std::string& factor) {
  const auto level = run.at("factors").find(factor);
  if (level == run.at("factors").end()) return unknown;
  return level->is_string() ? level->get<std::string>() : level->dump();
}

TableCell metric_cell(const json& run, const std::string& metric) {
  const auto value = run.at("metrics").find(metric);
  if (value == run.at("metrics").end()) return {unknown, TextStyle::dim};
  return run.value("withheld", false) ? TableCell("withheld", TextStyle::dim) : TableCell(figure(*value));
}

TableCell state_cell(const json& run, bool stopped) {
  const std::string text = text_at(run, "state");
  const auto state = kernel::named<kernel::RunState>(text);
  if (!state) return text;
  if (stopped && was_at_work(*state)) return "was " + kernel::words_of(*state);
  return {kernel::words_of(*state), kernel::is_bad_end(*state) ? TextStyle::bad : TextStyle::plain};
}

std::string reason_text(const json& run) {
  std::string reason = text_at(run, "reason");
  const std::string earlier = text_at(run, "retry_of"), label = text_at(run, "label");
  if (run.contains("command")) {
    return reason + (reason.empty() ? "" : "; ") + one_line(kernel::shell_line(run.at("command")));
  }
  const char* const of_label = text_at(run, "purpose") == "repeat" ? "repeats " : "varies ";
  if (!label.empty()) reason += (reason.empty() ? "" : "; ") + (of_label + label);
  if (!earlier.empty()) reason += (reason.empty() ? "" : "; ") + ("retry of " + earlier);
  if (const std::string before = text_at(run, "continues"); !before.empty())
    reason += (reason.empty() ? "" : "; ") + ("continues " + before);
  return reason;
}

}  // namespace

std::string run_table(const json& study, const std::vector<json>& runs, const Screen& screen) {
  Names factors;
  for (const json& run : runs) add_names(run.at("factors"), factors);
  const Names metrics = metric_names(study, runs);
  std::vector<Column> columns = {{"id"}, {"purpose"}, {"state"}};
  for (const std::string& factor : factors) columns.push_back({one_line(factor), Column::Align::left, 6});
  columns.push_back({"seed", Column::Align::right, 6});
  for (const std::string& metric : metrics)
    columns.push_back({one_line(titled(study, metric)), Column::Align::right, 8});
  columns.insert(columns.end(), {{"time", Column::Align::right},
                                 {"memory", Column::Align::right},
                                 {"launch", Column::Align::left, 4},
                                 {"reason", Column::Align::left, 16}});
  Table table(std::move(columns));
  const bool stopped = is_stopped(study);
  for (const json& run : runs) {
    std::vector<TableCell> cells = {
        {text_at(run, "id"), TextStyle::strong}, text_at(run, "purpose"), state_cell(run, stopped)};
    for (const std::string& factor : factors) cells.emplace_back(level_text(run, factor));
    cells.emplace_back(run.at("seed").dump());
    for (const std::string& metric : metrics) cells.push_back(metric_cell(run, metric));
    const bool ended = run.at("ended").is_string();
    const json& usage = run.at("usage");
    cells.emplace_back(ended ? duration(usage.at("wall_s")) : unknown);
    cells.emplace_back(ended && usage.at("rss_peak_bytes") != 0 ? bytes(usage.at("rss_peak_bytes")) : unknown);
    cells.emplace_back(text_at(run, "launch"));
    cells.emplace_back(reason_text(run));
    table.add(std::move(cells));
  }
  return table.text(screen);
}

}  // namespace cli
