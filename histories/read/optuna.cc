// The relational storage of Optuna, schema 12 and before (RDBStorage in SQLite): a row for each trial, parameters in
// their internal form with their distribution, one objective.

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "histories/read/readers.h"
#include "memory/log/database.h"

namespace histories {

namespace {

/// A parameter as Python prints it: categories by their index, whole numbers without a point.
std::string parameter_of(double internal, const nlohmann::json& distribution) {
  const nlohmann::json attributes = distribution.value("attributes", nlohmann::json::object());
  if (attributes.contains("choices") && attributes.at("choices").is_array()) {
    const auto& choices = attributes.at("choices");
    if (!(internal >= 0) || internal >= static_cast<double>(choices.size())) return "";
    const nlohmann::json& choice = choices.at(static_cast<std::size_t>(internal));
    if (choice.is_string()) return choice.get<std::string>();
    if (choice.is_boolean()) return choice.get<bool>() ? "True" : "False";
    if (choice.is_null()) return "None";
    if (choice.is_number_float()) return spelled(choice.get<double>());
    return choice.dump();
  }
  if (distribution.value("name", "").starts_with("Int")) return fmt::format("{:.0f}", internal);
  return spelled(internal);
}

}  // namespace

kernel::Result<History> read_optuna(memory::Database& database, const std::string& path, const Asked& asked) {
  History history;
  history.source = Source::optuna;
  history.form = Form::parameters;
  history.path = path;

  std::vector<std::string> names;
  for (auto rows = database.query("SELECT study_name FROM studies ORDER BY study_id"); rows.step();)
    names.emplace_back(rows.text(0));
  const auto name = choose_study(path, asked, names);
  if (!name) return name.problem();
  auto found = database.query("SELECT study_id FROM studies WHERE study_name = ?", *name);
  if (!found.step()) return kernel::Problem{path, 0, "study `" + *name + "`", "it is not there any more", ""};
  const std::int64_t study = found.integer(0);

  int objectives = 0;
  for (auto rows =
           database.query("SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective", study);
       rows.step(); ++objectives) {
    if (rows.text(0) == "MINIMIZE") history.goal = kernel::Goal::minimize;
    if (rows.text(0) == "MAXIMIZE") history.goal = kernel::Goal::maximize;
  }
  if (objectives != 1)
    return kernel::Problem{path, 0, "study `" + *name + "`",
                           fmt::format("it has {} objectives, and a gain is one of a single objective", objectives),
                           "confirm a study with one objective"};
  for (auto rows = database.query(
           "SELECT value_json FROM study_system_attributes WHERE study_id = ? AND key = 'study:metric_names'", study);
       rows.step();) {
    const auto metrics = nlohmann::json::parse(rows.text(0), nullptr, false);
    if (metrics.is_array() && metrics.size() == 1 && metrics.at(0).is_string()) history.metric = metrics.at(0);
  }

  std::map<std::int64_t, std::map<std::string, std::string>> parameters;
  for (auto rows =
           database.query("SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json FROM trial_params p "
                          "JOIN trials t ON t.trial_id = p.trial_id WHERE t.study_id = ?",
                          study);
       rows.step();) {
    const auto distribution = nlohmann::json::parse(rows.text(3), nullptr, false);
    if (!distribution.is_object())
      return kernel::Problem{path, 0, "parameter " + std::string(rows.text(1)), "its distribution cannot be read", ""};
    parameters[rows.integer(0)][std::string(rows.text(1))] = parameter_of(rows.real(2), distribution);
  }
  for (auto rows =
           database.query("SELECT t.trial_id, t.number, t.state, v.value FROM trials t LEFT JOIN trial_values v ON "
                          "v.trial_id = t.trial_id AND v.objective = 0 WHERE t.study_id = ? ORDER BY t.number",
                          study);
       rows.step();) {
    const std::string state(rows.text(2));
    if (state == "RUNNING" || state == "WAITING") continue;
    HistoryEntry entry;
    entry.id = std::to_string(rows.integer(1));
    entry.status = state == "FAIL" ? Status::crashed : Status::discarded;
    if (state == "COMPLETE" && !rows.is_null(3) && std::isfinite(rows.real(3))) entry.value = rows.real(3);
    entry.parameters = parameters[rows.integer(0)];
    history.entries.push_back(std::move(entry));
  }
  if (history.entries.empty()) return kernel::Problem{path, 0, "study `" + *name + "`", "no trial of it has ended", ""};
  return history;
}

}  // namespace histories
