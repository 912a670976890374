#include "histories/read/read_history.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "histories/read/readers.h"
#include "memory/log/database.h"
#include "studyfile/yaml/scalars.h"

namespace histories {

namespace {

namespace fs = std::filesystem;

kernel::Problem unknown(const std::string& path) {
  return {path, 0, "", "holds no history of a search that is known here",
          "name a folder with results.tsv, an Optuna study (.db), run folders of W&B, MLflow or trackio, or records of "
          "AIDE, OpenEvolve or ShinkaEvolve"};
}

bool is_sqlite(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[16] = {};
  return file.read(magic, sizeof magic) && std::memcmp(magic, "SQLite format 3", 16) == 0;
}

bool has(const std::set<std::string>& tables, std::initializer_list<const char*> names) {
  return std::ranges::all_of(names, [&](const char* name) { return tables.contains(name); });
}

/// A fault of SQLite is bad input here: the file is not ours.
kernel::Problem unreadable(const std::string& path, const memory::StoreFault& fault) {
  const std::string text = fault.what();
  if (text.find("locked") != text.npos || text.find("another program") != text.npos)
    return {path, 0, "", "another program holds it locked", "wait until the search has ended, or name a copy"};
  if (fault.damage) return {path, 0, "", "is a damaged SQLite database", "name a sound copy"};
  return {path, 0, "", text.substr(text.find(": ") == text.npos ? 0 : text.find(": ") + 2),
          "docs/confirm.md names the versions of formats that are known here"};
}

kernel::Result<History> read_database(const std::string& path, const Asked& asked) {
  try {
    memory::Database database(path, memory::Database::Access::read);
    // A search that writes now holds it for moments; one that waits for something may hold it for hours.
    database.run_script("PRAGMA busy_timeout = 1000");
    std::set<std::string> tables;
    for (auto rows = database.query("SELECT name FROM sqlite_master WHERE type = 'table'"); rows.step();)
      tables.emplace(rows.text(0));
    if (has(tables, {"studies", "study_directions", "trials", "trial_values", "trial_params"}))
      return read_optuna(database, path, asked);
    if (has(tables, {"experiments", "runs", "params", "latest_metrics"}))
      return read_mlflow_database(database, path, asked);
    if (has(tables, {"metrics", "configs"})) return read_trackio(database, path, asked);
    if (has(tables, {"programs", "archive", "metadata_store"})) return read_shinka(database, path, asked);
    return kernel::Problem{path, 0, "", "is an SQLite database of no program that is known here",
                           "name one of Optuna, MLflow, trackio or ShinkaEvolve"};
  } catch (const memory::StoreFault& fault) {
    return unreadable(path, fault);
  }
}

bool is_wandb_run(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return (name.starts_with("offline-run-") || name.starts_with("run-")) && fs::is_directory(folder);
}

bool is_checkpoint(const fs::path& folder) {
  return fs::is_directory(folder / "programs") && fs::is_regular_file(folder / "metadata.json");
}

/// The number behind `checkpoint_`.
long number_of(const fs::path& checkpoint) {
  const std::string name = checkpoint.filename().string();
  return std::strtol(name.substr(std::min(name.find('_') + 1, name.size())).c_str(), nullptr, 10);
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

bool is_mlruns(const fs::path& folder) {
  if (!fs::is_directory(folder)) return false;
  return std::ranges::any_of(sorted_entries(folder),
                             [](const fs::path& experiment) { return fs::is_regular_file(experiment / "meta.yaml"); });
}

kernel::Result<History> read_folder(const fs::path& folder, const Asked& asked) {
  if (fs::is_regular_file(folder / "results.tsv")) return read_autoresearch(folder / "results.tsv", asked);
  for (const char* name : {"journal.json", "filtered_journal.json"})
    if (fs::is_regular_file(folder / name)) return read_aide(folder / name, asked);
  if (is_checkpoint(folder)) return read_openevolve(folder, asked);
  std::vector<fs::path> checkpoints, runs, databases;
  for (const fs::path& place : {folder, folder / "checkpoints", folder / "openevolve_output" / "checkpoints"})
    for (const fs::path& entry : sorted_entries(place))
      if (entry.filename().string().starts_with("checkpoint_") && is_checkpoint(entry)) checkpoints.push_back(entry);
  if (!checkpoints.empty()) return read_openevolve(*std::ranges::max_element(checkpoints, {}, number_of), asked);
  if (is_wandb_run(folder)) return read_wandb({folder}, folder, asked);
  for (const fs::path& place : {folder, folder / "wandb"})
    for (const fs::path& entry : sorted_entries(place))
      if (is_wandb_run(entry)) runs.push_back(entry);
  if (!runs.empty()) return read_wandb(runs, folder, asked);
  for (const fs::path& place : {folder, folder / "mlruns"})
    if (is_mlruns(place)) return read_mlruns(place, asked);
  for (const fs::path& entry : sorted_entries(folder))
    if (fs::is_regular_file(entry) && is_sqlite(entry)) databases.push_back(entry);
  if (databases.size() > 1)
    return kernel::Problem{folder.string(), 0, "", fmt::format("holds {} databases", databases.size()),
                           "name one of them, such as " + databases.front().string()};
  if (databases.size() == 1) return read_database(databases.front().string(), asked);
  return unknown(folder.string());
}

kernel::Result<History> read_any(const fs::path& path, const Asked& asked) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return kernel::Problem{path.string(), 0, "", "is not there", "name a folder or a file"};
  if (fs::is_directory(status)) return read_folder(path, asked);
  const std::string name = path.filename().string();
  if (name.ends_with(".tsv")) return read_autoresearch(path, asked);
  if (name.ends_with("journal.json")) return read_aide(path, asked);
  if (is_sqlite(path)) return read_database(path.string(), asked);
  return unknown(path.string());
}

/// Which way the values of what was kept went; none if both ways.
std::optional<kernel::Goal> goal_by_kept(const History& history) {
  std::optional<double> before;
  int down = 0, up = 0;
  for (const HistoryEntry& entry : history.entries) {
    if (entry.status != Status::kept || !entry.value) continue;
    if (before && *entry.value < *before) ++down;
    if (before && *entry.value > *before) ++up;
    before = entry.value;
  }
  if ((down > 0) == (up > 0)) return std::nullopt;
  return down > 0 ? kernel::Goal::minimize : kernel::Goal::maximize;
}

}  // namespace

kernel::Result<History> read_history(const std::string& path, const Asked& asked) {
  std::error_code error;
  fs::path place = fs::absolute(path, error).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  auto history = read_any(place, asked);
  if (!history) return history;
  if (history->metric.empty()) history->metric = asked.metric;
  if (asked.goal) history->goal = asked.goal;
  if (!history->goal && history->decided) history->goal = goal_by_kept(*history);
  if (!history->goal)
    return kernel::Problem{history->path, 0, "--goal",
                           "the history does not tell whether less or more of `" + history->metric + "` is better",
                           "say --goal minimize or --goal maximize"};
  return history;
}

}  // namespace histories
