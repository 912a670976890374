#include <algorithm>

#include "kernel/runs/command_line.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

/// A stage whose position in the order is not known yet.
struct DraftStage {
  kernel::StageSpec spec;
  Value value;
};

/// One name, or a list of them.
std::vector<Value> one_or_more(const Value& value, std::string_view of) {
  if (value.is_scalar()) return {value};
  const auto items = value.list(of);
  return items ? *items : std::vector<Value>();
}

bool read_own_factors(const Value& value, const Draft& draft, const std::vector<DraftStage>& earlier,
                      kernel::StageSpec& stage) {
  const auto items = value.list("factors");
  if (!items) return false;
  for (const Value& item : *items) {
    const auto name = item.text();
    if (!name) return false;
    if (draft.spec.factor(*name) == nullptr) {
      if (draft.all_factors)
        item.refuse("no factor is called `" + shown(*name) + "`",
                    suggestion(*name, names_of(draft.spec.factors), "factors are"));
      return false;
    }
    for (const DraftStage& other : earlier)
      if (is_among(other.spec.factors, *name)) {
        item.refuse("`" + *name + "` is a factor of the stage `" + other.spec.name + "` already",
                    "a stage varies by the factors of what it needs, too: list it where it first matters");
        return false;
      }
    if (is_among(stage.factors, *name)) return item.refuse("`" + *name + "` is repeated", "leave one out"), false;
    stage.factors.push_back(*name);
  }
  return true;
}

bool read_stage_outputs(const Value& value, kernel::StageSpec& stage) {
  const auto entries = value.entries("outputs");
  if (!entries) return false;
  for (const Value& entry : *entries) {
    if (!check_name(entry)) return false;
    const auto path = entry.text();
    if (!path) return false;
    std::string plain = std::filesystem::path(*path).lexically_normal().string();
    if (plain.size() > 1 && plain.back() == '/') plain.pop_back();
    if (!stays_inside(*path) || plain == ".")
      return entry.refuse("`" + shown(*path) + "` is no file or folder below the run's own",
                          "name it relative to the working directory or to $ETUDE_OUTPUT"),
             false;
    stage.outputs.push_back({entry.name(), plain});
  }
  return true;
}

/// Orders stages by their needs. Records a problem and returns nothing if stages wait for one another.
std::vector<DraftStage> in_order(std::vector<DraftStage> stages) {
  std::vector<DraftStage> ordered;
  std::vector<std::string> placed;
  while (!stages.empty()) {
    const auto ready = std::ranges::find_if(stages, [&](const DraftStage& s) {
      return std::ranges::all_of(s.spec.needs, [&](const auto& need) { return is_among(placed, need); });
    });
    if (ready == stages.end()) {
      stages.front().value.refuse("the stages need each other in a circle", "let one of them need nothing");
      return {};
    }
    placed.push_back(ready->spec.name);
    ordered.push_back(std::move(*ready));
    stages.erase(ready);
  }
  return ordered;
}

/// All factors by which a stage's runs differ.
std::vector<std::string> factors_in_sight(const std::vector<DraftStage>& stages, const kernel::StageSpec& stage) {
  std::vector<std::string> names = stage.factors;
  for (const DraftStage& other : stages)
    if (is_among(stage.needs, other.spec.name))
      for (const std::string& name : factors_in_sight(stages, other.spec)) names.push_back(name);
  return names;
}

bool check_commands(const std::vector<DraftStage>& stages, const Draft& draft) {
  for (const DraftStage& stage : stages) {
    InSight sight;
    sight.factors = factors_in_sight(stages, stage.spec);
    for (const DraftStage& other : stages)
      for (const kernel::StageOutput& output : other.spec.outputs)
        (is_among(stage.spec.needs, other.spec.name) ? sight.outputs : sight.elsewhere)
            .emplace_back(other.spec.name + "." + output.name, output.path);
    // A factor that says where a stage runs acts without being named.
    for (const std::string& name : stage.spec.factors)
      if (std::ranges::none_of(stages, [&](const DraftStage& s) { return s.spec.resources.node == name; }))
        sight.own.push_back(name);
    if (!check_command(*stage.value.entry("run"), stage.spec.run, draft, sight)) return false;
  }
  return true;
}

std::optional<DraftStage> read_stage(const Value& value, const Draft& draft, const std::vector<DraftStage>& earlier) {
  if (!check_name(value)) return std::nullopt;
  if (value.name() == "setup")
    return value.refuse_key("`setup` is what prepares the environment", "give the stage another name"), std::nullopt;
  if (draft.spec.factor(value.name()) || draft.spec.constants.count(value.name()) > 0)
    return value.refuse_key("`" + value.name() + "` is a factor or a constant, too", "give the stage another name"),
           std::nullopt;
  const auto fields = value.fields({"needs", "run", "factors", "outputs", "resources"});
  if (!fields || !fields->complete()) return std::nullopt;
  DraftStage stage{{}, value};
  stage.spec.name = value.name();
  stage.spec.resources = draft.spec.resources;
  const auto run = fields->need("run", "give the stage's command");
  const auto command = run ? read_command(*run) : std::nullopt;
  if (!command) return std::nullopt;
  stage.spec.run = *command;
  if (const auto needs = fields->find("needs"))
    for (const Value& need : one_or_more(*needs, "stages")) {
      const auto name = need.text();
      if (!name) return std::nullopt;
      stage.spec.needs.push_back(*name);
    }
  if (const auto factors = fields->find("factors"))
    if (!read_own_factors(*factors, draft, earlier, stage.spec)) return std::nullopt;
  if (const auto outputs = fields->find("outputs"))
    if (!read_stage_outputs(*outputs, stage.spec)) return std::nullopt;
  if (const auto resources = fields->find("resources")) read_limits_of_run(*resources, draft, stage.spec.resources);
  return stage;
}

bool check_needs(const std::vector<DraftStage>& stages) {
  std::vector<std::string> names;
  for (const DraftStage& stage : stages) names.push_back(stage.spec.name);
  for (const DraftStage& stage : stages)
    for (const std::string& need : stage.spec.needs) {
      const auto given = stage.value.entry("needs");
      if (!is_among(names, need))
        return given->refuse("no stage is called `" + shown(need) + "`", suggestion(need, names, "stages are")), false;
      const auto other = std::ranges::find(stages, need, [](const auto& s) { return s.spec.name; });
      if (other->spec.outputs.empty())
        return given->refuse("the stage `" + need + "` leaves nothing for others", "give it `outputs: {name: path}`"),
               false;
    }
  return true;
}

/// The stage that no other stage needs measures, and there must be one such stage.
bool check_last(const std::vector<DraftStage>& stages) {
  const DraftStage& last = stages.back();
  for (const DraftStage& stage : stages) {
    const bool needed = std::ranges::any_of(
        stages, [&](const DraftStage& other) { return is_among(other.spec.needs, stage.spec.name); });
    if (&stage != &last && !needed)
      return stage.value.refuse_key(
                 "no stage needs `" + stage.spec.name + "`, and `" + last.spec.name + "` is the stage that measures",
                 "let `" + last.spec.name + "` need it, or remove it"),
             false;
  }
  if (!last.spec.outputs.empty())
    return last.value.entry("outputs")->refuse("the last stage leaves nothing for others",
                                               "what it writes to $ETUDE_OUTPUT is kept; leave `outputs` out"),
           false;
  return true;
}

bool check_all_factors_used(const Value& value, const std::vector<DraftStage>& stages, const Draft& draft) {
  for (const kernel::Factor& factor : draft.spec.factors) {
    const bool used =
        std::ranges::any_of(stages, [&](const DraftStage& s) { return is_among(s.spec.factors, factor.name); });
    if (!used)
      return value.refuse("no stage has the factor `" + factor.name + "`",
                          "add it to the `factors` of the stage where it first matters"),
             false;
  }
  return true;
}

}  // namespace

void read_stages(const Value& value, Draft& draft) {
  const auto entries = value.entries("stages");
  if (!entries) return;
  if (entries->size() < 2) return value.refuse("a single stage", "give one command as `run`");
  std::vector<DraftStage> stages;
  for (const Value& entry : *entries) {
    auto stage = read_stage(entry, draft, stages);
    if (!stage) return;
    stages.push_back(std::move(*stage));
  }
  if (!check_needs(stages)) return;
  stages = in_order(std::move(stages));
  if (stages.empty() || !check_last(stages) || !check_commands(stages, draft)) return;
  if (draft.all_factors && !check_all_factors_used(value, stages, draft)) return;
  for (DraftStage& stage : stages) draft.spec.stages.push_back(std::move(stage.spec));
  draft.spec.run = draft.spec.stages.back().run;
  draft.spec.resources = draft.spec.stages.back().resources;
}

}  // namespace studyfile
