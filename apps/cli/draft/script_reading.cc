#include "apps/cli/draft/script_reading.h"

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "embedded/cli_programs.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace cli {

namespace {

kernel::MetricSource source_of(const nlohmann::json& metric) {
  const std::string source = metric.at("source");
  if (source == "metrics_file") return kernel::FromMetricsFile{};
  if (source == "stdout") return kernel::FromStdout{metric.at("pattern")};
  const std::string file = metric.at("file"), key = metric.at("key");
  if (source == "jsonl") return kernel::FromJsonLines{file, key, ""};
  return kernel::FromJsonFile{file, "/" + key};
}

}  // namespace

ScriptReading read_script(const std::string& source) {
  ScriptReading reading;
  const char* path = std::getenv("PATH");
  const std::string python = programs::find_on_path("python3", path ? path : "");
  if (python.empty()) {
    reading.unread = "there is no python3 to read its source with";
    return reading;
  }
  const auto ran =
      programs::run_program({.argv = {python, "-I", "-S", "-c", std::string(embedded::cli_programs("read_script.py"))},
                             .in = source,
                             .most_output = 1 << 20});
  const auto read = ran && ran->exit == 0 ? nlohmann::json::parse(ran->out, nullptr, false) : nlohmann::json();
  if (!read.is_object()) {
    reading.unread = "python3 cannot read its source";
    return reading;
  }
  for (const auto& option : read.at("options"))
    reading.options.push_back({option.at("names"), option.at("takes_value"), option.at("takes_several"),
                               option.at("number"), option.at("default"), option.at("choices")});
  for (const auto& metric : read.at("metrics"))
    reading.metrics.push_back({metric.at("name"), source_of(metric),
                               metric.at("maximize") ? kernel::Goal::maximize : kernel::Goal::minimize,
                               metric.at("unit"), metric.at("line")});
  return reading;
}

const ScriptOption* find_option(const std::vector<ScriptOption>& options, std::string_view spelled) {
  for (const ScriptOption& option : options)
    if (std::find(option.names.begin(), option.names.end(), spelled) != option.names.end()) return &option;
  return nullptr;
}

}  // namespace cli
