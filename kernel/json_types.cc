#include "kernel/json_types.h"

#include <cmath>
#include <limits>

namespace kernel {

using nlohmann::json;

json number_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

double number_from_json(const json& j) {
  if (j.is_number()) return j.get<double>();
  const std::string text = j.is_string() ? j.get<std::string>() : "NaN";
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

void to_json(json& j, const MetricSource& source) {
  if (const auto* out = std::get_if<FromStdout>(&source))
    j = {{"from", "stdout"}, {"pattern", out->pattern}};
  else if (const auto* file = std::get_if<FromJsonFile>(&source))
    j = {{"from", "file"}, {"file", file->file}, {"pointer", file->pointer}};
  else if (const auto* lines = std::get_if<FromJsonLines>(&source))
    j = {{"from", "jsonl"}, {"file", lines->file}, {"key", lines->key}, {"step", lines->step}};
  else
    j = {{"from", "metrics"}};
}

void from_json(const json& j, MetricSource& source) {
  const std::string from = j.value("from", "metrics");
  if (from == "stdout")
    source = FromStdout{j.at("pattern")};
  else if (from == "file")
    source = FromJsonFile{j.at("file"), j.at("pointer")};
  else if (from == "jsonl")
    source = FromJsonLines{j.at("file"), j.at("key"), j.at("step")};
  else
    source = FromMetricsFile{};
}

void to_json(json& j, const Metric& m) {
  j = {{"name", m.name},
       {"unit", m.unit},
       {"goal", m.goal},
       {"primary", m.primary},
       {"summary", m.summary},
       {"warmup", m.warmup},
       {"type", m.type},
       {"scale", m.scale},
       {"deterministic", m.deterministic},
       {"on_nan", m.on_nan},
       {"censor_right", m.censor_right}};
  to_json(j["source"], m.source);
}

void from_json(const json& j, Metric& m) {
  const Metric none;
  m.name = j.at("name");
  m.unit = j.value("unit", none.unit);
  m.goal = j.value("goal", none.goal);
  m.primary = j.value("primary", none.primary);
  m.summary = j.value("summary", none.summary);
  m.warmup = j.value("warmup", none.warmup);
  m.type = j.value("type", none.type);
  m.scale = j.value("scale", none.scale);
  m.deterministic = j.value("deterministic", none.deterministic);
  m.on_nan = j.value("on_nan", none.on_nan);
  m.censor_right = j.value("censor_right", none.censor_right);
  if (j.contains("source")) from_json(j.at("source"), m.source);
}

void to_json(json& j, const MetricValue& m) {
  j = {{"value", number_json(m.value)}};
  if (m.censored) j["censored"] = true;
  if (m.worst) j["worst"] = true;
}

void from_json(const json& j, MetricValue& m) {
  m.value = number_from_json(j.at("value"));
  m.censored = j.value("censored", false);
  m.worst = j.value("worst", false);
}

}  // namespace kernel
