#include "kernel/runs/job.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "kernel/domain/image_root.h"
#include "kernel/study/continuation.h"

namespace kernel {

namespace {

nlohmann::json scalar_json(const Scalar& scalar) {
  return scalar.number ? nlohmann::json(*scalar.number) : nlohmann::json(scalar.text);
}

/// The cell's levels by factor, in file order. A version of the code is in the folder: the job gets no parameter for
/// it.
std::vector<std::pair<const Factor*, const Level*>> parameters(const StudySpec& spec, const Cell& cell) {
  std::vector<std::pair<const Factor*, const Level*>> levels;
  for (const Factor& factor : spec.factors) {
    const auto entry = cell.find(factor.name);
    if (entry == cell.end() || (spec.code && factor.name == code_factor)) continue;
    levels.emplace_back(&factor, factor.level(entry->second));
    if (!levels.back().second) throw std::logic_error("factor " + factor.name + " has no level " + entry->second);
  }
  return levels;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Escapes braces: an ordered command has no placeholders.
std::string as_it_stands(const std::string& word) {
  std::string text;
  for (const char c : word) text += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  return text;
}

CommandTemplate command_of(const ScratchOrder& order) {
  if (!order.by_hand()) return {false, {"sh", "-c", as_it_stands(order.command)}};
  CommandTemplate command{false, {}};
  for (const std::string& word : order.arguments) command.words.push_back(as_it_stands(word));
  return command;
}

/// Sets the folder and the environment in which a person ran the command.
void follow(const ScratchOrder& order, JobSpec& job) {
  job.in_place = order.folder;
  if (!order.environment) return;
  job.toolchain = order.environment->toolchain;
  job.passed = order.environment->passed;
  if (!job.passed) return;
  // People expect their own environment in their own folder, as far as it is passed on at all.
  for (const auto& [name, value] : *job.passed) job.pass.push_back(name);
}

}  // namespace

std::string launch_name(const LaunchToken& token) {
  // 48 bits of a random token: no two launches of a home have the same, and people can compare them.
  constexpr std::size_t characters = 12;
  ETUDE_ASSERT(!token.empty());
  return token.text().substr(0, characters);
}

std::string kept_place(const KeptOutput& kept) {
  return kept.sha256 + "/" + file_name(kept.path);
}

std::string checkpoint_name(const LaunchToken& first_attempt) {
  return std::string(checkpoint_prefix) + launch_name(first_attempt);
}

std::map<std::string, std::string> placeholder_values(const StudySpec& spec, const Cell& cell, std::uint64_t seed,
                                                      const std::string& stage) {
  std::map<std::string, std::string> values;
  for (const auto& [factor, level] : parameters(spec, cell)) {
    values[factor->name] = level->bundle.empty() ? level->value.text : level->name;
    for (const auto& [key, scalar] : level->bundle) values[factor->name + "." + key] = scalar.text;
  }
  for (const auto& [key, scalar] : spec.constants) values[key] = scalar.text;
  values["seed"] = std::to_string(seed);
  values["cpus"] = std::to_string(spec.resources_of(stage).cpus);
  values["gpus"] = std::to_string(spec.resources_of(stage).gpus);
  return values;
}

std::string params_json(const StudySpec& spec, const Cell& cell) {
  nlohmann::json params = nlohmann::json::object();
  for (const auto& [key, scalar] : spec.constants) params[key] = scalar_json(scalar);
  for (const auto& [factor, level] : parameters(spec, cell)) {
    nlohmann::json& value = params[factor->name];
    if (level->bundle.empty()) {
      value = factor->type == FactorType::text ? nlohmann::json(level->value.text) : scalar_json(level->value);
      continue;
    }
    value = {{"name", level->name}};
    for (const auto& [key, scalar] : level->bundle) value[key] = scalar_json(scalar);
  }
  return params.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

JobSpec job_of(const Study& study, const Run& run, const Places& places) {
  ETUDE_ASSERT(!run.token.empty());
  const Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
  JobSpec job;
  job.run = study.run_id(run.number);
  job.stage = run.stage;
  job.token = run.token;
  const std::string folder = places.runs + "/" + study.id + "/";
  job.folder = folder + launch_name(run.token);
  const Run* first = study.run(first_attempt(study, run));
  // The run of a try belongs to no study.
  job.checkpoint = folder + checkpoint_name(first && !first->token.empty() ? first->token : run.token);
  const ScratchOrder* order = study.order_of(run);
  const bool sets_up = study.set_up_from && study.spec.setup && run.stage == study.spec.setup->name;
  const WorkspaceRecord& workspace = order ? order->workspace : sets_up ? *study.set_up_from : study.workspace_of(cell);
  job.workspace = places.workspaces + "/" + workspace.hash;
  for (const ProtectedFile& file : workspace.protect) job.protect.push_back(file.path);
  job.command = order && !order->cell ? command_of(*order) : study.spec.command_of(run.stage);
  job.values = placeholder_values(study.spec, cell, run.seed, run.stage);
  job.params_json = params_json(study.spec, cell);
  for (const DataRecord& data : study.data) job.data.push_back({data.name, data.path, "data." + data.name});
  for (const int need : run.needs) {
    const Run& earlier = study.latest(*study.run(need));
    for (const KeptOutput& kept : earlier.kept) {
      if (kept.name.empty()) continue;
      const std::string name = earlier.stage + "." + kept.name;
      // Keeps the file's own name, because programs may depend on it.
      job.data.push_back({name + "/" + file_name(kept.path), places.kept + "/" + kept_place(kept), name});
    }
  }
  for (const KeptOutput* kept : continued_by(study, run))
    job.continued.push_back({kept->path, places.kept + "/" + kept_place(*kept), ""});
  job.leaves_files = must_leave_files(study, run);
  if (const auto& setup = study.environment.setup)
    for (const std::string& entry : setup->entries)
      job.prepared.push_back({entry, places.kept + "/" + setup->key + "/" + entry, ""});
  job.toolchain = study.environment.toolchain;
  job.set = study.spec.environment.set;
  job.pass = study.spec.environment.pass;
  job.passed = study.environment.passed;
  if (order && order->by_hand()) follow(*order, job);
  for (std::string& prefix : job.toolchain.prefixes)
    if (prefix.ends_with(image_mark) && !prefix.starts_with("/")) prefix = places.kept + "/" + prefix;
  job.resources = study.resources_of(run);
  // Only what began with weaker walls, and said so, goes on with them.
  if (job.resources.sandbox == SandboxMode::automatic && !study.environment.machine.contains(walls_fact))
    job.resources.sandbox = SandboxMode::required;
  job.gpus = run.lease.gpus;
  // A job that hangs must not run beyond the study's budget.
  if (!job.resources.timeout_s) job.resources.timeout_s = study.spec.budget.wall_s;
  if (const TierSpec* tier = study.spec.evaluator.tier(run.tier)) {
    Evaluation& evaluation = job.evaluation.emplace();
    evaluation.tier = run.tier;
    evaluation.command = tier->command;
    // An agent's code must not be scored by an evaluator from that same code.
    evaluation.workspace = places.workspaces + "/" + study.scoring.hash;
    for (const SealedData& data : study.sealed)
      if (data.tier == run.tier) evaluation.data.push_back({data.place, data.path, ""});
  }
  job.seed = run.seed;
  job.attempt = run.attempt;
  return job;
}

}  // namespace kernel
