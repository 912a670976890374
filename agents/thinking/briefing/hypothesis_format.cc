#include "agents/thinking/briefing/hypothesis_format.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/domain/enum_names.h"

namespace agents {

using kernel::Factor;
using kernel::StudySpec;
using nlohmann::ordered_json;

namespace {

bool varies(const Factor& factor) {
  return factor.levels.size() > 1;
}

bool is_numeric(const Factor& factor) {
  return varies(factor) &&
         std::ranges::all_of(factor.levels, [](const kernel::Level& level) { return level.value.number.has_value(); });
}

/// A name as an example may show it outside of a quotation: one plain word, else a stand-in.
std::string shown(const std::string& name) {
  constexpr std::size_t longest = 40;
  static constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+";
  return !name.empty() && name.size() <= longest && name.find_first_not_of(plain) == name.npos ? name : "…";
}

/// The factor of the arms in examples: the first that varies and has a baseline, else the first that varies.
const Factor* arm_factor(const StudySpec& spec) {
  const auto based = std::ranges::find_if(spec.factors, [](const Factor& f) { return varies(f) && f.baseline; });
  if (based != spec.factors.end()) return &*based;
  const auto any = std::ranges::find_if(spec.factors, varies);
  return any == spec.factors.end() ? nullptr : &*any;
}

const Factor* other_factor(const StudySpec& spec, const Factor& arm) {
  const auto other =
      std::ranges::find_if(spec.factors, [&](const Factor& f) { return varies(f) && f.name != arm.name; });
  return other == spec.factors.end() ? nullptr : &*other;
}

const Factor* numeric_factor(const StudySpec& spec) {
  const auto found = std::ranges::find_if(spec.factors, is_numeric);
  return found == spec.factors.end() ? nullptr : &*found;
}

std::string control_of(const Factor& factor) {
  return shown(factor.baseline.value_or(factor.levels.front().name));
}

std::string treatment_of(const Factor& factor) {
  const std::string control = factor.baseline.value_or(factor.levels.front().name);
  const auto other =
      std::ranges::find_if(factor.levels, [&](const kernel::Level& level) { return level.name != control; });
  return shown(other->name);
}

ordered_json comparison(const StudySpec& spec, const Factor& arm) {
  ordered_json test;
  test["metric"] = shown(spec.primary().name);
  test["treatment"] = {{shown(arm.name), treatment_of(arm)}};
  test["control"] = {{shown(arm.name), control_of(arm)}};
  test["direction"] = spec.primary().goal == kernel::Goal::minimize ? "less" : "greater";
  return test;
}

/// On one line, with a blank after each colon and comma.
std::string written(const ordered_json& value) {
  std::string text;
  bool inside = false, escaped = false;
  for (const char c : value.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) {
    text += c;
    inside = c == '"' && !escaped ? !inside : inside;
    escaped = c == '\\' && !escaped;
    if (!inside && (c == ':' || c == ',')) text += ' ';
  }
  return text;
}

std::string kinds_text(const StudySpec& spec, const Factor& arm) {
  std::string text;
  if (const Factor* other = other_factor(spec, arm)) {
    ordered_json test;
    test["kind"] = "interaction";
    test.update(comparison(spec, arm));
    test["along"] = shown(other->name);
    test["levels"] = {shown(other->levels.front().name), shown(other->levels.back().name)};
    text += "- Interaction, the effect at the later level against the effect at the earlier: `" + written(test) +
            "`. Its margin is absolute.\n";
    text +=
        "- Crossover, `\"kind\": \"crossover\"` in the same shape: with `less`, the treatment is first less than "
        "the control and at a later level greater. No margin.\n";
  }
  if (const Factor* numeric = numeric_factor(spec)) {
    ordered_json test;
    test["kind"] = "slope";
    test["metric"] = shown(spec.primary().name);
    test["along"] = shown(numeric->name);
    test["scale"] = "linear";
    test["direction"] = "greater";
    test["value"] = 0;
    text += "- Slope, how the metric grows along a factor, compared with `value`: `" + written(test) +
            "`. No arms. `loglog` for powers, `semilog` for exponentials.\n";
  }
  return text;
}

}  // namespace

bool has_slope(const StudySpec& spec) {
  return numeric_factor(spec) != nullptr;
}

bool has_along(const StudySpec& spec) {
  return has_slope(spec) || std::ranges::count_if(spec.factors, varies) > 1;
}

std::string comparison_example(const StudySpec& spec) {
  const Factor* arm = arm_factor(spec);
  return arm ? written(comparison(spec, *arm)) : "";
}

std::string hypothesis_format(const StudySpec& spec) {
  const Factor* arm = arm_factor(spec);
  if (!arm) return "";
  const bool several = std::ranges::count_if(spec.factors, varies) > 1;
  std::string text =
      "How to write `test`:\n- Comparison: `" + comparison_example(spec) + "`. Both arms name the same factors.\n";
  if (several)
    text += "- `where` fixes another factor: `" +
            written({{shown(other_factor(spec, *arm)->name), control_of(*other_factor(spec, *arm))}}) +
            "`. A factor named nowhere is crossed, and the verdict is on the average; with `\"over\": \"every\"` it is "
            "on each setting.\n";
  text += kinds_text(spec, *arm);
  text +=
      "- `direction`: `less`, `greater`, `different`, `equal` (needs a margin), `not_worse` (by the metric's goal).\n"
      "- `margin`: `{\"relative\": 0.1}` is a tenth of the control, `{\"absolute\": 2}` is in the metric's unit. "
      "`less` with the first claims less than 0.9 of the control. Not with `different`.\n"
      "- `smallest_effect`, beside `test`, is what the number of runs is planned for.\n";
  text += spec.design.pairing == kernel::Pairing::seed
              ? "- Pairing is by seed: both arms run on the same seeds, and each pair is compared.\n"
              : "- Runs are not paired: the arms are compared by their means.\n";
  return text + "- The statement says what the test compares, in the same direction.\n";
}

}  // namespace agents
