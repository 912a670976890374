// Records of single runs, each with its parameters and the last value of a metric: MLflow's files (mlruns) and
// database, and trackio's database. W&B's are in wandb.cc.

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "histories/read/found_runs.h"
#include "histories/read/readers.h"
#include "memory/log/database.h"
#include "studyfile/yaml/scalars.h"

namespace histories {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// `key: value` of a flat YAML file; quotes around the value are dropped.
std::string yaml_value(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key + ":")) {
      std::string value = line.substr(key.size() + 1);
      value.erase(0, std::min(value.find_first_not_of(' '), value.size()));
      if (value.size() > 1 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front())
        value = value.substr(1, value.size() - 2);
      return value;
    }
  return "";
}

std::string without_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

/// All files below a folder: path relative to it → bytes.
kernel::Result<std::map<std::string, std::string>> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(folder, error); at != fs::recursive_directory_iterator();
       at.increment(error)) {
    if (error) break;
    if (!at->is_regular_file()) continue;
    const auto text = read_file(at->path());
    if (!text) return text.problem();
    files[at->path().lexically_relative(folder).string()] = *text;
  }
  return files;
}

/// `TIMESTAMP VALUE STEP` per line; the value of the greatest step.
std::optional<double> last_value(const std::string& text) {
  std::istringstream lines(text);
  std::optional<double> value;
  double best = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string time, number;
    double step = 0;
    if (!(words >> time >> number)) continue;
    words >> step;
    const auto read = studyfile::as_number(number);
    if (read && (!value || step >= best)) {
      value = read;
      best = step;
    }
  }
  return value;
}

}  // namespace

kernel::Result<History> read_mlruns(const fs::path& root, const Asked& asked) {
  std::map<std::string, fs::path> experiments;
  for (const auto& folder : fs::directory_iterator(root)) {
    if (!fs::is_regular_file(folder.path() / "meta.yaml")) continue;
    const auto meta = read_file(folder.path() / "meta.yaml");
    if (!meta) return meta.problem();
    const bool has_runs = std::ranges::any_of(fs::directory_iterator(folder.path()), [](const auto& run) {
      return fs::is_regular_file(run.path() / "meta.yaml");
    });
    if (has_runs) experiments[yaml_value(*meta, "name")] = folder.path();
  }
  std::vector<std::string> names;
  for (const auto& [name, folder] : experiments) names.push_back(name);
  const auto name = choose_study(root.string(), asked, names);
  if (!name) return name.problem();
  std::vector<FoundRun> runs;
  for (const auto& folder : fs::directory_iterator(experiments.at(*name))) {
    if (!fs::is_regular_file(folder.path() / "meta.yaml")) continue;
    const auto meta = read_file(folder.path() / "meta.yaml");
    if (!meta) return meta.problem();
    if (yaml_value(*meta, "lifecycle_stage") == "deleted") continue;
    FoundRun run;
    run.started = studyfile::as_number(yaml_value(*meta, "start_time")).value_or(0);
    const std::string named = yaml_value(*meta, "run_name");
    run.entry.id = named.empty() ? folder.path().filename().string() : named;
    // 3 is FINISHED, 4 is FAILED, 5 is KILLED.
    const std::string status = yaml_value(*meta, "status");
    run.entry.status = status == "4" || status == "5" ? Status::crashed : Status::discarded;
    const auto parameters = files_below(folder.path() / "params");
    if (!parameters) return parameters.problem();
    for (const auto& [key, value] : *parameters) run.entry.parameters[key] = without_end(value);
    const auto metrics = files_below(folder.path() / "metrics");
    if (!metrics) return metrics.problem();
    for (const auto& [key, text] : *metrics)
      if (const auto value = last_value(text); value && run.entry.status != Status::crashed) run.metrics[key] = *value;
    runs.push_back(std::move(run));
  }
  return history_of(Source::mlflow, root.string(), asked, std::move(runs));
}

kernel::Result<History> read_mlflow_database(memory::Database& database, const std::string& path, const Asked& asked) {
  std::vector<std::string> names;
  for (auto rows = database.query("SELECT name FROM experiments e WHERE EXISTS (SELECT 1 FROM runs r WHERE "
                                  "r.experiment_id = e.experiment_id) ORDER BY experiment_id");
       rows.step();)
    names.emplace_back(rows.text(0));
  const auto name = choose_study(path, asked, names);
  if (!name) return name.problem();
  std::vector<FoundRun> runs;
  std::map<std::string, std::size_t> places;
  for (auto rows = database.query("SELECT r.run_uuid, r.name, r.status, r.start_time FROM runs r JOIN experiments e ON "
                                  "e.experiment_id = r.experiment_id WHERE e.name = ? AND r.lifecycle_stage = 'active'",
                                  *name);
       rows.step();) {
    FoundRun run;
    run.started = rows.real(3);
    run.entry.id = rows.text(1).empty() ? rows.text(0) : rows.text(1);
    run.entry.status = rows.text(2) == "FAILED" || rows.text(2) == "KILLED" ? Status::crashed : Status::discarded;
    places[std::string(rows.text(0))] = runs.size();
    runs.push_back(std::move(run));
  }
  for (auto rows = database.query("SELECT run_uuid, key, value FROM params"); rows.step();)
    if (const auto at = places.find(std::string(rows.text(0))); at != places.end())
      runs[at->second].entry.parameters[std::string(rows.text(1))] = rows.text(2);
  for (auto rows = database.query("SELECT run_uuid, key, value FROM latest_metrics WHERE NOT is_nan"); rows.step();)
    if (const auto at = places.find(std::string(rows.text(0))); at != places.end())
      if (runs[at->second].entry.status != Status::crashed)
        runs[at->second].metrics[std::string(rows.text(1))] = rows.real(2);
  return history_of(Source::mlflow, path, asked, std::move(runs));
}

kernel::Result<History> read_trackio(memory::Database& database, const std::string& path, const Asked& asked) {
  // Older files name a run only by `run_name`.
  bool with_ids = false;
  for (auto rows = database.query("SELECT name FROM pragma_table_info('metrics')"); rows.step();)
    with_ids = with_ids || rows.text(0) == "run_id";
  const std::string id = with_ids ? "run_id" : "run_name";
  std::vector<FoundRun> runs;
  std::map<std::string, std::size_t> places;
  for (auto rows = database.query("SELECT " + id + ", run_name, metrics FROM metrics ORDER BY id"); rows.step();) {
    const std::string key(rows.text(0));
    if (!places.contains(key)) {
      places[key] = runs.size();
      FoundRun run;
      run.started = static_cast<double>(runs.size());
      run.entry.id = rows.text(1);
      runs.push_back(std::move(run));
    }
    const json values = json::parse(rows.text(2), nullptr, false);
    if (!values.is_object()) continue;
    for (const auto& [name, value] : values.items())
      if (value.is_number()) runs[places[key]].metrics[name] = value;
  }
  for (auto rows = database.query("SELECT " + id + ", config FROM configs"); rows.step();) {
    const auto at = places.find(std::string(rows.text(0)));
    const json config = json::parse(rows.text(1), nullptr, false);
    if (at == places.end() || !config.is_object()) continue;
    for (const auto& [name, value] : config.items())
      if (const auto word = word_of(value); word && !name.starts_with('_'))
        runs[at->second].entry.parameters[name] = *word;
  }
  return history_of(Source::trackio, path, asked, std::move(runs));
}

}  // namespace histories
