#include "kernel/verdicts/forecasts.h"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prose/numbers.h"
#include "stats/diagnostics/forecast_scores.h"

namespace kernel {

using nlohmann::json;

namespace {

json interval_json(const std::optional<stats::Interval>& interval) {
  return interval ? json{*interval->low, *interval->high} : json();
}

std::string with_interval(double value, const json& interval, double sign) {
  if (interval.is_null()) return fmt::format("{:.2f}", value);
  const double a = sign * interval[0].get<double>(), b = sign * interval[1].get<double>();
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", value, std::min(a, b), std::max(a, b));
}

}  // namespace

json forecasts_shape(const std::vector<RoleForecast>& all) {
  constexpr double level = 0.95;
  std::map<std::string, std::vector<stats::Forecast>> by_role;
  for (const RoleForecast& one : all) by_role[one.role].push_back({one.confidence, one.supported});
  json list = json::array();
  for (const auto& [role, forecasts] : by_role) {
    const stats::ForecastScore score = *stats::score_forecasts(forecasts, level, 1);
    list.push_back({{"role", role},
                    {"n", score.n},
                    {"brier", score.brier},
                    {"brier_interval", interval_json(score.brier_interval)},
                    {"gap", score.gap},
                    {"gap_interval", interval_json(score.gap_interval)}});
  }
  return list;
}

std::string forecast_words(const json& role) {
  const double gap = role.at("gap");
  const double sign = gap < 0 ? -1 : 1;
  return fmt::format("{}, Brier score {}, {} too {}", prose::counted(role.at("n").get<long long>(), "forecast"),
                     with_interval(role.at("brier"), role.at("brier_interval"), 1),
                     with_interval(std::abs(gap), role.at("gap_interval"), sign), gap < 0 ? "cautious" : "confident");
}

}  // namespace kernel
