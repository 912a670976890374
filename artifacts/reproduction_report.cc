#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/numbers.h"
#include "artifacts/reproduction.h"
#include "artifacts/text.h"
#include "kernel/json_types.h"
#include "kernel/shapes.h"

namespace artifacts {

using kernel::HypothesisResult;
using nlohmann::json;

namespace {

json number(const std::optional<double>& value) {
  return value ? kernel::number_json(*value) : json();
}

json side(const std::optional<HypothesisResult>& r) {
  if (!r) return json::object();
  return {{"verdict", kernel::name(r->verdict)},
          {"effect", number(r->effect)},
          {"effect_relative", number(r->effect_relative)},
          {"interval", {number(r->low), number(r->high)}},
          {"level", r->level},
          {"p", number(r->p)},
          {"n", r->n},
          {"failed", r->failed}};
}

}  // namespace

json to_json(const ReproductionReport& report) {
  json claims = json::array(), environment = json::array();
  for (const ClaimComparison& c : report.claims)
    claims.push_back({{"id", c.claim},
                      {"hypothesis", c.hypothesis},
                      {"outcome", name_of(c.outcome)},
                      {"reason", c.reason},
                      {"recorded", side(c.recorded)},
                      {"observed", side(c.observed)}});
  for (const EnvironmentDifference& d : report.environment)
    environment.push_back({{"what", d.what}, {"recorded", d.recorded}, {"observed", d.observed}});
  return {{"artifact", report.artifact},
          {"study", report.study},
          {"outcome", name_of(report.outcome)},
          {"claims", std::move(claims)},
          {"environment", std::move(environment)}};
}

std::string to_text(const ReproductionReport& report) {
  std::string text;
  for (const ClaimComparison& c : report.claims) {
    text +=
        fmt::format("{:<14} {} ({}): {}\n", name_of(c.outcome), c.claim, printable(c.hypothesis), printable(c.reason));
    if (!c.recorded_text.empty()) text += fmt::format("{:<14}   recorded {}\n", "", printable(c.recorded_text));
    if (!c.observed_text.empty()) text += fmt::format("{:<14}   observed {}\n", "", printable(c.observed_text));
  }
  for (const EnvironmentDifference& d : report.environment)
    text += fmt::format("differs        {}: {} when recorded, {} now\n", printable(d.what), printable(d.recorded),
                        printable(d.observed));
  std::map<ClaimOutcome, int> counts;
  for (const ClaimComparison& c : report.claims) ++counts[c.outcome];
  std::string sum;
  for (const auto& [outcome, n] : counts) sum += fmt::format("{}{} {}", sum.empty() ? "" : ", ", n, name_of(outcome));
  return text + fmt::format("{}: {}\n", printable(report.artifact), sum.empty() ? "no claims" : sum);
}

}  // namespace artifacts
