// Searches that write programs: AIDE (journal.json, version 2), OpenEvolve (checkpoint_N/programs/ID.json) and
// ShinkaEvolve (table `programs` of its SQLite database).

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "histories/read/readers.h"
#include "memory/log/database.h"

namespace histories {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

History of_programs(Source source, std::string path) {
  History history;
  history.source = source;
  history.form = Form::program;
  history.path = std::move(path);
  history.suffix = ".py";
  return history;
}

/// Python also writes NaN and Infinity, which are no JSON: they become null.
json parsed(std::string text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') inside = !inside;
    if (inside) {
      if (text[i] == '\\') ++i;
      continue;
    }
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"})
      if (text.compare(i, word.size(), word) == 0) text.replace(i, word.size(), "null");
  }
  return json::parse(text, nullptr, false);
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_in(const json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = *found;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double order_in(const json& object, const char* key) {
  return number_in(object, key).value_or(0);
}

std::string suffix_of(const std::string& language) {
  static const std::map<std::string, std::string> known = {
      {"python", ".py"}, {"rust", ".rs"},   {"cpp", ".cpp"},       {"c++", ".cpp"},       {"c", ".c"},
      {"cuda", ".cu"},   {"java", ".java"}, {"javascript", ".js"}, {"typescript", ".ts"}, {"go", ".go"},
      {"julia", ".jl"},  {"r", ".r"},       {"swift", ".swift"},   {"json", ".json"},     {"bash", ".sh"}};
  const auto found = known.find(language);
  return found == known.end() ? ".txt" : found->second;
}

}  // namespace

kernel::Result<History> read_aide(const fs::path& journal, const Asked&) {
  const auto text = read_file(journal);
  if (!text) return text.problem();
  const json read = parsed(*text);
  if (!read.is_object() || !read.contains("nodes") || !read.at("nodes").is_array())
    return kernel::Problem{journal.string(), 0, "", "is no journal of AIDE: it has no list `nodes`", ""};
  History history = of_programs(Source::aide, journal.string());
  for (const json& node : read.at("nodes")) {
    if (!node.is_object()) continue;
    HistoryEntry entry;
    entry.id = fmt::format("{:.0f}", order_in(node, "step"));
    entry.program = text_in(node, "code");
    entry.description = text_in(node, "plan");
    const json metric = node.value("metric", json());
    const bool buggy = node.value("is_buggy", json()).is_boolean() ? node.at("is_buggy").get<bool>() : true;
    if (!buggy && metric.is_object()) {
      entry.value = number_in(metric, "value");
      if (metric.value("maximize", json()).is_boolean())
        history.goal = metric.at("maximize").get<bool>() ? kernel::Goal::maximize : kernel::Goal::minimize;
    }
    entry.status = buggy ? Status::crashed : Status::discarded;
    history.entries.push_back(std::move(entry));
  }
  if (history.entries.empty())
    return kernel::Problem{journal.string(), 0, "", "it has no nodes: nothing was tried", ""};
  return history;
}

kernel::Result<History> read_openevolve(const fs::path& checkpoint, const Asked& asked) {
  History history = of_programs(Source::openevolve, checkpoint.string());
  history.goal = kernel::Goal::maximize;
  history.metric = asked.metric.empty() ? "combined_score" : asked.metric;
  struct Program {
    double iteration = 0, timestamp = 0;
    HistoryEntry entry;
  };
  std::vector<Program> programs;
  bool measured = false;
  for (const auto& file : fs::directory_iterator(checkpoint / "programs")) {
    if (file.path().extension() != ".json") continue;
    const auto text = read_file(file.path());
    if (!text) return text.problem();
    const json read = parsed(*text);
    if (!read.is_object() || !read.contains("code"))
      return kernel::Problem{file.path().string(), 0, "", "is no program of OpenEvolve: it has no `code`", ""};
    Program program{order_in(read, "iteration_found"), order_in(read, "timestamp"), {}};
    program.entry.id = text_in(read, "id");
    program.entry.program = text_in(read, "code");
    program.entry.description = text_in(read, "changes_description");
    const json metrics = read.value("metrics", json::object());
    if (metrics.is_object()) program.entry.value = number_in(metrics, history.metric);
    measured = measured || program.entry.value;
    history.suffix = suffix_of(text_in(read, "language").empty() ? "python" : text_in(read, "language"));
    programs.push_back(std::move(program));
  }
  if (programs.empty()) return kernel::Problem{checkpoint.string(), 0, "", "it has no programs: nothing was tried", ""};
  if (!measured)
    return kernel::Problem{checkpoint.string(), 0, "--metric", "no program has a metric `" + history.metric + "`",
                           "name the metric that was improved"};
  std::ranges::sort(programs, [](const Program& a, const Program& b) {
    return std::tie(a.iteration, a.timestamp, a.entry.id) < std::tie(b.iteration, b.timestamp, b.entry.id);
  });
  for (Program& program : programs) history.entries.push_back(std::move(program.entry));
  return history;
}

kernel::Result<History> read_shinka(memory::Database& database, const std::string& path, const Asked& asked) {
  History history = of_programs(Source::shinka, path);
  history.goal = kernel::Goal::maximize;
  history.metric = asked.metric.empty() ? "combined_score" : asked.metric;
  for (auto rows =
           database.query("SELECT id, code, language, combined_score, correct, metadata, generation FROM programs "
                          "ORDER BY generation, timestamp, id");
       rows.step();) {
    HistoryEntry entry;
    entry.id = rows.text(0);
    entry.program = rows.text(1);
    history.suffix = suffix_of(std::string(rows.text(2)));
    const bool correct = rows.integer(4) != 0;
    entry.status = correct ? Status::discarded : Status::crashed;
    if (correct && !rows.is_null(3) && std::isfinite(rows.real(3))) entry.value = rows.real(3);
    const json metadata = json::parse(rows.text(5), nullptr, false);
    if (metadata.is_object()) entry.description = text_in(metadata, "patch_name");
    // Each island begins with a copy of the first program.
    const bool copy = rows.integer(6) == 0 && std::ranges::any_of(history.entries, [&](const HistoryEntry& other) {
                        return other.program == entry.program;
                      });
    if (!copy) history.entries.push_back(std::move(entry));
  }
  if (history.entries.empty()) return kernel::Problem{path, 0, "", "it has no programs: nothing was tried", ""};
  return history;
}

}  // namespace histories
