#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/cli/verbs/simulated_study.h"
#include "apps/cli/verbs/verbs.h"
#include "kernel/placement/trace_files.h"
#include "kernel/placement/workload.h"

namespace cli {

namespace {

namespace placement = kernel::placement;

/// More would be no experiment, but a mistyped number.
constexpr double most_inflation = 1000;

struct SimulateOptions {
  SimulatedStudy study;
  std::string nodes, tasks, policy, explain, ties = "drawn";
  std::optional<double> inflate;
  std::int64_t seed = 1;
};

/// None if the file cannot be read.
std::optional<std::string> file_text_of(const std::string& path) {
  if (std::filesystem::is_directory(path)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  return in.is_open() && !in.bad() ? std::optional(std::move(text)) : std::nullopt;
}

/// Null for an unknown name.
const placement::PolicyName* policy_named(const std::string& name) {
  for (const placement::PolicyName& policy : placement::policy_names())
    if (policy.name == name) return &policy;
  return nullptr;
}

nlohmann::json explanation_json(const std::string& task, const placement::Explanation& explanation,
                                std::span<const placement::ClusterNode> nodes) {
  nlohmann::json candidates = nlohmann::json::array();
  for (const placement::PlacementCandidate& candidate : explanation.candidates)
    candidates.push_back({{"node", nodes[candidate.node].name}, {"score", candidate.score}});
  nlohmann::json chosen;
  if (const auto& placement = explanation.placement)
    chosen = {{"node", nodes[placement->node].name}, {"gpus", placement->devices}, {"score", placement->score}};
  return {{"task", task}, {"placement", std::move(chosen)}, {"candidates", std::move(candidates)}};
}

double part(std::int64_t used, std::int64_t total) {
  return total == 0 ? 0 : static_cast<double>(used) / static_cast<double>(total);
}

nlohmann::json outcome_json(const placement::Allocation& outcome) {
  const std::int64_t idle = outcome.gpu_total - outcome.gpu_used;
  const double fragment = outcome.fragment;
  return {{"gpus", outcome.gpu_total / placement::whole_gpu},
          {"tasks",
           {{"arrived", outcome.placed + outcome.refused}, {"placed", outcome.placed}, {"refused", outcome.refused}}},
          {"asked", part(outcome.asked_gpu_milli, outcome.gpu_total)},
          {"allocation",
           {{"gpu", part(outcome.gpu_used, outcome.gpu_total)},
            {"cpu", part(outcome.cpu_used, outcome.cpu_total)},
            {"memory", part(outcome.memory_used, outcome.memory_total)}}},
          {"fragmentation",
           {{"gpus", fragment / placement::whole_gpu},
            {"of_all", fragment / static_cast<double>(outcome.gpu_total)},
            {"of_idle", idle == 0 ? 0 : fragment / static_cast<double>(idle)}}}};
}

int simulate_trace(const SimulateOptions& options) {
  const placement::PolicyName* name = policy_named(options.policy);
  if (!name) {
    std::vector<std::string_view> names;
    for (const placement::PolicyName& policy : placement::policy_names()) names.push_back(policy.name);
    return fail(bad_input, "--policy " + printable(options.policy), "there is no such policy",
                fmt::format("give one of {}", fmt::join(names, ", ")));
  }
  if (options.inflate && !(*options.inflate > 0 && *options.inflate <= most_inflation))
    return fail(bad_input, "--inflate", fmt::format("it is not above 0 and at most {:g}", most_inflation),
                "with 1.3, the tasks ask for 130 % of the GPUs");

  if (options.seed < 0) return fail(bad_input, "--seed", "it is negative");

  placement::GpuTypes types;
  const auto nodes_text = file_text_of(options.nodes);
  if (!nodes_text) return fail(bad_input, printable(options.nodes), "this file cannot be read");
  auto nodes = placement::read_nodes(*nodes_text, options.nodes, types);
  if (!nodes) return fail(bad_input, nodes.problem());
  auto tasks_text = file_text_of(options.tasks);
  if (!tasks_text) return fail(bad_input, printable(options.tasks), "this file cannot be read");
  const auto workload = placement::read_tasks(*tasks_text, options.tasks, types);
  tasks_text.reset();
  if (!workload) return fail(bad_input, workload.problem());

  std::int64_t gpu_milli = 0;
  for (const placement::ClusterNode& node : *nodes) gpu_milli += node.total_gpu_milli();
  if (gpu_milli == 0) return fail(bad_input, printable(options.nodes), "no node has a GPU");
  std::optional<std::uint32_t> explained;
  if (!options.explain.empty()) {
    const auto found = std::ranges::find(workload->names, options.explain);
    if (found == workload->names.end())
      return fail(bad_input, "--explain " + printable(options.explain), "there is no such task");
    explained = static_cast<std::uint32_t>(found - workload->names.begin());
  }

  stats::Xoshiro random(static_cast<std::uint64_t>(options.seed));
  const auto arrivals = placement::arrivals(*workload, options.inflate, gpu_milli, random);
  if (!arrivals) return fail(bad_input, arrivals.problem());
  placement::shuffle(*nodes, random);
  if (options.ties == "name") std::ranges::stable_sort(*nodes, {}, &placement::ClusterNode::name);
  const auto mix = placement::TypicalMix::commonest(workload->counted());
  const auto policy = placement::make_policy(options.policy, *nodes, mix);
  placement::Placer placer(std::move(*nodes), *policy, random.next());
  const placement::Allocation outcome = placement::run(placer, *workload, *arrivals, mix, explained);

  nlohmann::json document = outcome_json(outcome);
  document["policy"] = name->name;
  document["score"] = name->score;
  document["ties"] = options.ties;
  document["seed"] = options.seed;
  document["nodes"] = placer.nodes().size();
  document["typical_kinds"] = mix.kinds().size();
  if (outcome.explanation)
    document["explanation"] = explanation_json(options.explain, *outcome.explanation, placer.nodes());
  print_json(document);
  return ok;
}

int simulate(const Context& context, const SimulateOptions& options) {
  const SimulatedStudy& study = options.study;
  const bool trace = !options.nodes.empty() || !options.tasks.empty() || !options.policy.empty() ||
                     !options.explain.empty() || options.inflate || options.ties != "drawn";
  const session::PoolQuery& pools = study.pools;
  const bool pool = pools.gpus > 0 || pools.jobs > 0 || !pools.type.empty() || pools.usd_per_gpu_hour;
  if (!study.study.empty() && trace)
    return fail(bad_input, "simulate", "a study and a trace cannot be simulated together",
                "give STUDY, or --nodes, --tasks and --policy");
  if (!study.study.empty()) return simulate_study(context, study);
  if (pool)
    return fail(bad_input, "simulate", "--gpus, --jobs, --type and --usd-per-gpu-hour need a study", "give STUDY");
  if (options.nodes.empty() || options.tasks.empty() || options.policy.empty())
    return fail(bad_input, "simulate", "there is nothing to simulate", "give STUDY, or --nodes, --tasks and --policy");
  return simulate_trace(options);
}

}  // namespace

void add_simulate(CLI::App& app, Context& context) {
  auto [verb, options] =
      add_verb(app, context, "simulate",
               "how long a study would take on pools of several sizes; or how much of a cluster's GPUs a placement "
               "policy allocates (JSON)",
               simulate);
  SimulatedStudy& study = options->study;
  verb->add_option("STUDY", study.study, "the study file");
  verb->add_option("--gpus", study.pools.gpus, "the largest pool of GPUs (default: this machine's)")
      ->check(CLI::Range(1, static_cast<int>(placement::most_devices)));
  verb->add_option("-j,--jobs", study.pools.jobs, "the most runs at once; of a study without GPUs the largest pool")
      ->check(CLI::Range(1, 4096));
  verb->add_option("--type", study.pools.type, "the type of the GPUs, whose price the configuration has");
  verb->add_option("--usd-per-gpu-hour", study.pools.usd_per_gpu_hour, "the price of an hour of one GPU")
      ->check(CLI::Range(0.0, 1e6));
  verb->add_option("--nodes", options->nodes, "CSV: sn, cpu_milli, memory_mib, gpu, model");
  verb->add_option("--tasks", options->tasks, "CSV: name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec");
  verb->add_option("--policy", options->policy, "fifo, bestfit, fgd, fgd-exact or random");
  verb->add_option("--ties", options->ties,
                   "which of the nodes with the best score: the first in a drawn order, or the first by name")
      ->check(CLI::IsMember({"drawn", "name"}))
      ->capture_default_str();
  verb->add_option("--inflate", options->inflate,
                   "scale the tasks until they ask for this multiple of the cluster's GPUs");
  verb->add_option("--seed", options->seed, "seed of the order of tasks and nodes")->capture_default_str();
  verb->add_option("--explain", options->explain, "a task: list the nodes that fit at its arrival, with scores");
}

}  // namespace cli
