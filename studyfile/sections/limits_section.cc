// Budgets, and gates where a person is asked.
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

kernel::Budget read_limits(const Fields& fields) {
  constexpr std::int64_t most = 1'000'000'000'000;
  kernel::Budget limits;
  if (const auto wall = fields.find("wall")) limits.wall_s = wall->duration();
  if (const auto runs = fields.find("runs")) limits.runs = runs->integer(1, 100000000);
  if (const auto usd = fields.find("usd")) limits.usd = usd->number(1e-6, largest);
  if (const auto tokens = fields.find("tokens")) limits.tokens = tokens->integer(1, most);
  if (const auto hours = fields.find("gpu_hours")) limits.gpu_hours = hours->number(1e-6, largest);
  return limits;
}

/// Reads the thresholds of a gate on spending.
void read_above(const Value& item, const std::optional<Value>& above, kernel::GateSpec& gate) {
  const bool spends = gate.on == kernel::GateOn::spend;
  if (above && !spends)
    above->refuse_key("thresholds are for `on: spend`", "leave it out");
  else if (above && above->is_mapping()) {
    if (const auto limits = above->fields({"wall", "runs", "usd", "tokens", "gpu_hours"}))
      gate.above = read_limits(*limits);
  } else if (above) {
    above->refuse_kind("a mapping", "write `{runs: 100}`");
  } else if (spends) {
    item.refuse_absent("above", "say beyond what: `above: {runs: 100}`");
  }
}

/// Reads the tools of a gate on tools.
void read_tools(const Value& item, const std::optional<Value>& tools, kernel::GateSpec& gate) {
  const bool of_tools = gate.on == kernel::GateOn::tool;
  if (tools && !of_tools) return tools->refuse_key("tools are for `on: tool`", "leave it out");
  if (!tools && of_tools) return item.refuse_absent("tools", "say which: `tools: [run_scratch, \"write_*\"]`");
  const auto globs = tools ? tools->list("tools") : std::nullopt;
  if (!globs) return;
  if (globs->empty()) tools->refuse("an empty list", "name the tools, or leave the gate out");
  for (const Value& glob : *globs)
    if (const std::optional<std::string> name = glob.spelling()) {
      if (name->empty() || name->find_first_not_of("abcdefghijklmnopqrstuvwxyz_*?[]-") != name->npos)
        glob.refuse("`" + shown(*name) + "` is the name of no tool", "small letters, underscores, `*` and `?`");
      gate.tools.push_back(*name);
    }
}

/// Reads what happens if nobody decides.
void read_otherwise(const Value& item, const Fields& fields, kernel::GateSpec& gate) {
  enum class Then { wait, pause, approve, reject };
  const auto wait = fields.find("wait");
  if (wait) gate.wait_s = wait->duration();
  Then then = wait ? Then::pause : Then::wait;
  const auto otherwise = fields.find("otherwise");
  if (otherwise)
    keep(otherwise->choice<Then>(
             {{"wait", Then::wait}, {"pause", Then::pause}, {"approve", Then::approve}, {"reject", Then::reject}}),
         then);
  gate.pause = then == Then::pause;
  if (then == Then::approve || then == Then::reject) gate.unanswered = then == Then::approve;
  if (wait && then == Then::wait) wait->refuse_key("nothing happens after that time", "say what with `otherwise`");
  if (gate.unanswered && !wait) item.refuse_absent("wait", "say how long a person is waited for: `wait: 30m`");
}

}  // namespace

void read_budget(const Value& value, Draft& draft) {
  if (const auto fields = value.fields({"wall", "runs", "usd", "tokens", "gpu_hours"}))
    draft.spec.budget = read_limits(*fields);
}

void read_gates(const Value& value, Draft& draft) {
  const auto items = value.list("gates");
  if (!items) return;
  for (const Value& item : *items) {
    if (!item.is_mapping()) {
      item.refuse_kind("a mapping", "write `{on: hypotheses}`");
      continue;
    }
    const auto fields = item.fields({"on", "above", "tools", "wait", "otherwise"});
    if (!fields) continue;
    kernel::GateSpec gate;
    using On = kernel::GateOn;
    const auto on = fields->need("on", "say where it stands: hypotheses, experiments, spend, conclude or tool");
    const auto place = on ? on->choice<On>({{"hypotheses", On::hypotheses},
                                            {"experiments", On::experiments},
                                            {"spend", On::spend},
                                            {"conclude", On::conclude},
                                            {"tool", On::tool}})
                          : std::nullopt;
    if (keep(place, gate.on)) {
      read_above(item, fields->find("above"), gate);
      read_tools(item, fields->find("tools"), gate);
    }
    read_otherwise(item, *fields, gate);
    draft.spec.gates.push_back(gate);
  }
}

}  // namespace studyfile
