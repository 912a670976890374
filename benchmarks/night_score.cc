#include "benchmarks/night_score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "stats/basics/contrast.h"
#include "stats/basics/distributions.h"
#include "stats/effects/proportions.h"

namespace benchmarks {

namespace {

using nlohmann::json;

constexpr double interval_level = 0.95;
constexpr std::string_view original = "original";

/// Processor time that a version may take beyond that of the code it is compared with.
constexpr double most_ratio = 1.25, most_more_s = 1;

/// The median processor time in seconds of a version's runs that succeeded, with their evaluations; null without any.
json median_cpu(const std::vector<json>& runs, const std::string& version) {
  std::vector<double> seconds;
  for (const json& run : runs)
    if (run.at("state") == "succeeded" && run.at("factors").value("code", "") == version)
      seconds.push_back(run.at("usage").at("cpu_s").get<double>());
  if (seconds.empty()) return {};
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

bool took_longer(const json& version, const json& baseline) {
  return version.is_number() && baseline.is_number() &&
         version.get<double>() > most_ratio * baseline.get<double>() + most_more_s;
}

void count_ideas(const json& code, json& result) {
  int failed = 0, promising = 0, kept = 0;
  for (const json& idea : code.at("ideas")) {
    failed += idea.at("first").is_object() && idea.at("first").at("gain").is_null();
    promising += !idea.at("retest").is_null();
    kept += idea.at("kept").get<bool>();
    if (idea.at("version") == code.at("base")) result["lines"] = idea.at("lines");
  }
  result["tried"] = code.at("ideas").size();
  result["failed"] = failed;
  result["promising"] = promising;
  result["kept"] = kept;
  if (kept > 0) result["version"] = code.at("base");
}

/// The comparison of the last version that was kept with the code that the night began with.
const json* confirmation_of(const json& study) {
  for (const json& hypothesis : study.at("hypotheses"))
    if (hypothesis.at("effect").is_number() && hypothesis.at("control").value("code", "") == original)
      return &hypothesis;
  return nullptr;
}

void add_gain(const json& hypothesis, json& result) {
  const auto turned = [](const json& value) { return value.is_number() ? json(-value.get<double>()) : json(); };
  result["gain"] = turned(hypothesis.at("effect"));
  result["low"] = turned(hypothesis.at("interval").at(1));
  result["high"] = turned(hypothesis.at("interval").at(0));
  result["verdict"] = hypothesis.at("verdict");
}

NightEnd end_of(const json& study, const json& result, bool idle) {
  if (study.at("state") != "ended") {
    const json& reason = study.at("reason");
    return reason == "budget" || (reason == "agent" && idle) ? NightEnd::spent : NightEnd::unfinished;
  }
  if (study.at("outcome") != "concluded") return NightEnd::failed;
  if (result.at("kept") == 0) return NightEnd::none_kept;
  if (took_longer(result.at("version_cpu_s"), result.at("baseline_cpu_s"))) return NightEnd::over_budget;
  return result.at("verdict") == "supported" ? NightEnd::confirmed : NightEnd::not_confirmed;
}

/// Student's interval of the mean; of one value none.
void add_mean(const std::vector<double>& values, json& out) {
  if (values.empty()) return;
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  out["mean"] = mean;
  if (values.size() < 2) return;
  const double half = stats::t_quantile(0.5 + interval_level / 2, n - 1) * std::sqrt(squares / (n - 1) / n);
  out["low"] = mean - half;
  out["high"] = mean + half;
}

}  // namespace

std::string_view name(NightEnd end) {
  switch (end) {
    case NightEnd::confirmed:
      return "confirmed";
    case NightEnd::not_confirmed:
      return "not confirmed";
    case NightEnd::none_kept:
      return "none kept";
    case NightEnd::over_budget:
      return "over budget";
    case NightEnd::spent:
      return "spent";
    case NightEnd::failed:
      return "failed";
    case NightEnd::unfinished:
      break;
  }
  return "unfinished";
}

json night_result(const json& study, const std::vector<json>& runs, bool idle) {
  json result = {{"study", study.at("id")},
                 {"state", study.at("state")},
                 {"tried", 0},
                 {"failed", 0},
                 {"promising", 0},
                 {"kept", 0},
                 {"version", json()},
                 {"lines", 0},
                 {"gain", json()},
                 {"low", json()},
                 {"high", json()},
                 {"verdict", json()}};
  if (study.contains("search") && study.at("search").contains("code") &&
      study.at("search").at("code").contains("ideas"))
    count_ideas(study.at("search").at("code"), result);
  if (const json* confirmation = confirmation_of(study)) add_gain(*confirmation, result);
  result["baseline_cpu_s"] = median_cpu(runs, std::string(original));
  result["version_cpu_s"] = result["version"].is_string() ? median_cpu(runs, result["version"]) : json();
  const NightEnd end = end_of(study, result, idle);
  if (end == NightEnd::none_kept) result["gain"] = 0.0;
  result["end"] = name(end);
  result["why"] = study.at("detail");
  const json& ledger = study.at("ledger");
  result["usd"] = ledger.at("usd").at("spent");
  result["tokens"] = ledger.at("tokens").at("spent");
  result["seconds"] = ledger.at("wall_s").at("spent");
  result["runs"] = study.at("runs").at("total");
  return result;
}

json night_totals(const std::vector<json>& results) {
  json totals = {{"nights", results.size()},
                 {"tried", 0},
                 {"kept", 0},
                 {"runs", 0},
                 {"usd", 0.0},
                 {"tokens", 0},
                 {"seconds", 0.0}};
  stats::Share confirmed;
  std::vector<double> gains;
  for (const json& result : results) {
    for (const char* counted : {"tried", "kept", "runs", "tokens"})
      totals[counted] = totals[counted].get<std::int64_t>() + result.at(counted).get<std::int64_t>();
    for (const char* sum : {"usd", "seconds"}) totals[sum] = totals[sum].get<double>() + result.at(sum).get<double>();
    ++confirmed.n;
    confirmed.successes += result.at("end") == name(NightEnd::confirmed);
    if (result.at("gain").is_number() && result.at("end") != name(NightEnd::over_budget))
      gains.push_back(result.at("gain").get<double>());
  }
  json share = {{"nights", confirmed.successes}, {"of", confirmed.n}, {"low", json()}, {"high", json()}};
  if (confirmed.n > 0) {
    const stats::Interval interval = stats::share_interval(confirmed, interval_level);
    share["low"] = *interval.low;
    share["high"] = *interval.high;
  }
  json gain = {{"nights", gains.size()}, {"mean", json()}, {"low", json()}, {"high", json()}};
  add_mean(gains, gain);
  totals["confirmed"] = std::move(share);
  totals["gain"] = std::move(gain);
  return totals;
}

}  // namespace benchmarks
