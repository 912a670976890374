// Limits: the resources of a run, what is kept of its outputs, budgets, and gates where a person is asked.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "kernel/placement/memory_model.h"
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

/// GPU hours are reserved by the time limits of runs: refuses the key if a run with devices has none.
void refuse_unlimited_devices(const Value& key, const kernel::StudySpec& spec) {
  const auto unlimited = [](const kernel::Resources& one) { return one.gpus > 0 && !one.timeout_s; };
  const auto refuse = [&](const std::string& whose) {
    key.refuse("nothing can be reserved for runs with devices and without a time limit",
               "add `" + whose + "resources: {timeout: 2h}`");
  };
  if (spec.stages.empty() && unlimited(spec.resources)) return refuse("");
  for (const kernel::StageSpec& stage : spec.stages)
    if (unlimited(stage.resources)) return refuse("stages." + stage.name + ".");
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

/// Reads the tools of a gate on tools; without them it is on all.
void read_tools(const std::optional<Value>& tools, kernel::GateSpec& gate) {
  const bool of_tools = gate.on == kernel::GateOn::tool;
  if (tools && !of_tools) return tools->refuse_key("tools are for `on: tool`", "leave it out");
  if (!tools && of_tools) gate.tools.push_back("*");
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

void read_large(const Value& value, Draft& draft) {
  const auto entries = value.entries("patterns");
  if (!entries) return;
  for (const Value& entry : *entries) {
    if (entry.name().empty() || !stays_inside(entry.name())) {
      entry.refuse_key("`" + shown(entry.name()) + "` lies outside the outputs", "name files below $ETUDE_OUTPUT");
      continue;
    }
    kernel::LargeOutput large;
    large.pattern = entry.name();
    if (!entry.is_mapping()) {
      entry.refuse_kind("a mapping", "write `{store: reference, retain: best}`");
      continue;
    }
    const auto fields = entry.fields({"store", "retain"});
    if (!fields) continue;
    if (const auto store = fields->find("store")) store->choice<bool>({{"reference", true}});
    if (const auto retain = fields->find("retain")) keep(choice_of<kernel::LargeOutput::Retain>(*retain), large.retain);
    draft.spec.large_outputs.push_back(large);
  }
}

std::optional<kernel::placement::Layers> read_layers(const Value& model, const Fields& fields) {
  kernel::placement::Layers layers;
  const std::array sizes{std::pair{"layers", &layers.layers}, std::pair{"hidden", &layers.hidden},
                         std::pair{"heads", &layers.heads}, std::pair{"sequence", &layers.sequence},
                         std::pair{"batch", &layers.batch}};
  const auto given = [&](const auto& size) { return fields.find(size.first).has_value(); };
  const auto recompute = fields.find("recompute");
  if (std::ranges::none_of(sizes, given)) {
    if (recompute) recompute->refuse_key("there are no activations", "say of what: `layers: 32, hidden: 4096, …`");
    return std::nullopt;
  }
  for (const auto& [name, size] : sizes) {
    if (const auto value = fields.find(name))
      *size = value->integer(1, 1'000'000'000).value_or(1);
    else
      model.refuse_absent(name, "activations need all of `layers`, `hidden`, `heads`, `sequence` and `batch`");
  }
  using kernel::placement::Recompute;
  if (recompute)
    keep(recompute->choice<Recompute>({{"none", Recompute::none}, {"full", Recompute::full}}), layers.recompute);
  return layers;
}

/// Bytes of one device, from the model that is trained; none if it could not be read.
std::optional<std::int64_t> modelled_memory(const Value& value, int devices) {
  const auto fields =
      value.fields({"parameters", "training", "zero", "layers", "hidden", "heads", "sequence", "batch", "recompute"});
  if (!fields) return std::nullopt;
  kernel::placement::MemoryModel model;
  model.devices = std::max(devices, 1);
  const auto parameters = fields->find("parameters");
  if (!parameters) {
    value.refuse_absent("parameters", "say how many the model has: `{parameters: 7e9}`");
    return std::nullopt;
  }
  model.parameters = parameters->number(1, 1e15).value_or(1);
  using kernel::placement::Training;
  const auto training = fields->find("training");
  if (training)
    keep(training->choice<Training>({{"adam-mixed", Training::adam_mixed},
                                     {"adam", Training::adam},
                                     {"sgd", Training::sgd},
                                     {"none", Training::none}}),
         model.training);
  if (const auto zero = fields->find("zero")) model.zero = static_cast<int>(zero->integer(0, 3).value_or(0));
  model.layers = read_layers(value, *fields);
  const bool whole = model.training == Training::adam || model.training == Training::sgd;
  if (model.layers && whole && training)
    training->refuse("activations are counted in 16 bits", "leave out `layers` and what belongs to it, or name bytes");
  return kernel::placement::device_bytes(model);
}

}  // namespace

void read_resources(const Value& value, Draft& draft) {
  read_limits_of_run(value, draft, draft.spec.resources);
}

namespace {

/// Whole devices, or a share of one in thousandths.
void read_gpus(const Value& value, kernel::Resources& resources) {
  constexpr int most = 4096;
  const auto number = value.number(0, most);
  if (!number) return;
  resources.gpu_share.reset();
  const double thousandths = *number * 1000;
  const bool whole = *number == std::floor(*number);
  if (!whole && (*number > 1 || std::abs(thousandths - std::round(thousandths)) > 1e-6))
    return value.refuse("neither a number of devices nor a share of one",
                        "write a whole number, or a share in thousandths below 1, such as 0.25");
  resources.gpus = whole ? static_cast<int>(*number) : 1;
  if (!whole) resources.gpu_share = static_cast<int>(std::lround(thousandths));
}

/// Words as in the driver's names of models; a scheduler gets them as one word.
void read_gpu_type(const Value& value, kernel::Resources& resources) {
  const auto name = value.text();
  if (!name) return;
  if (resources.gpus == 0) value.refuse("the type of no device", "say how many with `gpus`");
  const bool plain = !name->empty() && name->front() != '-' && std::ranges::all_of(*name, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ' ';
  });
  if (!plain)
    return value.refuse("`" + shown(*name) + "` is no type of a GPU", "write a part of its name, such as `H100`");
  resources.gpu_type = *name;
}

/// Letters, digits, dots, dashes and underscores: a scheduler would read more as several nodes.
bool is_node_name(const std::string& name) {
  return !name.empty() && name.front() != '-' &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_'; });
}

/// The factor whose levels are nodes.
void read_node(const Value& value, const Draft& draft, kernel::Resources& resources) {
  const kernel::Factor* factor = named_factor(value, draft);
  if (!factor) return;
  if (factor->range)
    return value.refuse("`" + factor->name + "` is a range",
                        "name a factor whose levels are nodes: `levels: [n1, n2]`");
  for (const kernel::Level& level : factor->levels)
    if (!is_node_name(level.name))
      return value.refuse("the level `" + shown(level.name) + "` of `" + factor->name + "` is no name of a node",
                          "write the nodes as Slurm names them, each one level");
  resources.node = factor->name;
}

}  // namespace

void read_limits_of_run(const Value& value, const Draft& draft, kernel::Resources& resources) {
  const auto fields = value.fields(
      {"cpus", "gpus", "gpu_memory", "gpu_type", "memory", "disk", "timeout", "network", "sandbox", "node"});
  if (!fields) return;
  fields->count("cpus", 1, 4096, resources.cpus);
  if (const auto gpus = fields->find("gpus")) read_gpus(*gpus, resources);
  if (const auto memory = fields->find("gpu_memory")) {
    resources.gpu_memory_bytes = memory->is_mapping() ? modelled_memory(*memory, resources.gpus) : memory->size();
    if (resources.gpus == 0) memory->warn("memory of no device: it has no effect", "say how many devices with `gpus`");
  }
  if (const auto type = fields->find("gpu_type")) read_gpu_type(*type, resources);
  if (const auto memory = fields->find("memory")) resources.memory_bytes = memory->size();
  if (const auto disk = fields->find("disk")) resources.disk_bytes = disk->size();
  if (const auto timeout = fields->find("timeout")) resources.timeout_s = timeout->duration();
  if (const auto network = fields->find("network")) keep(network->boolean(), resources.network);
  if (const auto node = fields->find("node")) read_node(*node, draft, resources);
  if (const auto sandbox = fields->find("sandbox")) keep(choice_of<kernel::SandboxMode>(*sandbox), resources.sandbox);
}

void read_outputs(const Value& value, Draft& draft) {
  const auto fields = value.fields({"keep", "large"});
  if (const auto large = fields ? fields->find("large") : std::nullopt) read_large(*large, draft);
  const auto keep_list = fields ? fields->find("keep") : std::nullopt;
  const auto globs = keep_list ? keep_list->list("patterns") : std::nullopt;
  if (!globs) return;
  if (globs->empty()) keep_list->refuse("an empty list", "leave it out to keep everything, or name what to keep");
  for (const Value& glob : *globs) {
    const std::optional<std::string> pattern = glob.spelling();
    if (pattern && !stays_inside(*pattern))
      glob.refuse("`" + shown(*pattern) + "` lies outside the outputs", "name files below $ETUDE_OUTPUT");
    if (pattern) draft.spec.keep_outputs.push_back(*pattern);
  }
}

void read_budget(const Value& value, Draft& draft) {
  const auto fields = value.fields({"wall", "runs", "usd", "tokens", "gpu_hours"});
  if (!fields) return;
  draft.spec.budget = read_limits(*fields);
  const auto hours = fields->find("gpu_hours");
  if (hours && !draft.spec.budget.wall_s) refuse_unlimited_devices(*hours, draft.spec);
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
    // A question is the gate of an agent.
    const auto place = on ? choice_of<On>(*on, static_cast<std::size_t>(On::question)) : std::nullopt;
    if (keep(place, gate.on)) {
      read_above(item, fields->find("above"), gate);
      read_tools(fields->find("tools"), gate);
    }
    read_otherwise(item, *fields, gate);
    draft.spec.gates.push_back(gate);
  }
}

}  // namespace studyfile
