#include "artifacts/audit/level2_report.h"

#include <algorithm>
#include <array>
#include <functional>

#include <nlohmann/json.hpp>

namespace artifacts {
namespace {

using nlohmann::json;

struct Dimension {
  std::string_view id;
  std::array<std::string_view, 7>
      rules;  ///< The rules that concern this dimension; the others are about form or record.
};
constexpr std::array dimensions{
    Dimension{review_dimensions[0],
              {"no-proof", "unknown-experiment", "one-sided-proof", "source-mismatch", "unsourced-number",
               "broken-link", "bad-source"}},
    Dimension{review_dimensions[1], {"no-falsification", "tautological-falsification"}},
    Dimension{review_dimensions[2], {"unbounded-claim"}},
    Dimension{review_dimensions[3],
              {"fallen-dependency", "unknown-claim", "cycle", "label-mismatch", "count-mismatch"}},
    Dimension{review_dimensions[4],
              {"rejected-branch", "provenance", "support-level", "source-refs", "dead-end-children", "unknown-node"}},
    Dimension{review_dimensions[5],
              {"orphan-experiment", "constant-metric", "copied-result", "no-work", "unused-factor", "missing-code",
               "expected-numbers"}},
};

json of(const std::vector<Finding>& findings, const std::function<bool(const Finding&)>& wanted) {
  json list = json::array();
  for (const Finding& f : findings)
    if (wanted(f))
      list.push_back({{"rule", f.rule},
                      {"severity", name_of(f.severity)},
                      {"file", f.file},
                      {"line", f.line},
                      {"message", f.message}});
  return list;
}

bool bears_on(const Dimension& dimension, const Finding& f) {
  return std::ranges::find(dimension.rules, std::string_view(f.rule)) != dimension.rules.end();
}

}  // namespace

json level2_report(const CheckReport& report, const std::string& tool_version, const Review* review) {
  json scored = json::array();
  const json opinion = review ? to_json(*review) : json();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    json entry = review ? opinion["dimensions"][i]
                        : json{{"id", dimensions[i].id}, {"score", nullptr}, {"reason", ""}, {"spans", json::array()}};
    entry["findings"] = of(report.findings, [&](const Finding& f) { return bears_on(dimensions[i], f); });
    scored.push_back(std::move(entry));
  }
  json summary = json::object();
  for (const Severity severity : {Severity::critical, Severity::error, Severity::warning, Severity::info})
    summary[std::string(name_of(severity))] =
        std::ranges::count_if(report.findings, [&](const Finding& f) { return f.severity == severity; });
  return {{"level", 2},
          {"artifact", report.artifact},
          {"tool", "etude " + tool_version},
          {"method", review ? "deterministic and model" : "deterministic"},
          {"model", review ? json(review->model) : json()},
          {"ok", report.ok},
          {"summary", std::move(summary)},
          {"dimensions", std::move(scored)},
          {"other", of(report.findings, [](const Finding& f) {
             return std::ranges::none_of(dimensions, [&](const Dimension& d) { return bears_on(d, f); });
           })}};
}

}  // namespace artifacts
