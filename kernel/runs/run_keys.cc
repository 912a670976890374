#include "kernel/runs/run_keys.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"
#include "kernel/runs/job.h"
#include "kernel/study/continuation.h"

namespace kernel {

namespace {

bool mentions_seed(const CommandTemplate& command) {
  return std::ranges::any_of(command.words, [](const std::string& word) {
    return word.find("{seed}") != word.npos || word.find("ETUDE_SEED") != word.npos;
  });
}

bool reads_seed(const WorkspaceRecord& code) {
  return std::ranges::find(code.reads, CodeRead::seed, &CodeLine::reads) != code.reads.end();
}

}  // namespace

bool gets_seed(const Study& study, const Run& run) {
  const StudySpec& spec = study.spec;
  const bool deterministic = std::ranges::all_of(spec.metrics, &Metric::deterministic);
  if (!spec.design.reading || !deterministic) return true;
  if (mentions_seed(spec.run) || std::ranges::any_of(spec.stages, mentions_seed, &StageSpec::run)) return true;
  if (reads_seed(study.workspace_of(study.cells[static_cast<std::size_t>(run.cell)]))) return true;
  const TierSpec* tier = spec.evaluator.tier(run.tier);
  return tier && (mentions_seed(tier->command) || reads_seed(study.scoring));
}

std::string cache_key(const Study& study, const Run& run) {
  const StudySpec& spec = study.spec;
  nlohmann::json data = nlohmann::json::object();
  for (const DataRecord& record : study.data) data[record.name] = record.identity;
  nlohmann::json taken = nlohmann::json::array();
  for (const int need : run.needs)
    for (const KeptOutput& kept : study.latest(*study.run(need)).kept) taken.push_back({kept.name, kept.sha256});
  const Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
  nlohmann::json all = {{"workspace", study.workspace_of(cell).hash},
                        {"environment", sha256_hex(canonical(study.environment))},
                        {"set", spec.environment.set},
                        {"data", std::move(data)},
                        {"command", spec.command_of(run.stage)},
                        {"resources", study.resources_of(run)},
                        {"values", placeholder_values(spec, cell, run.seed, run.stage)},
                        {"params", params_json(spec, cell)},
                        {"seed", run.seed},
                        {"taken", std::move(taken)},
                        {"metrics", spec.metrics},
                        {"guards", spec.guards}};
  if (!gets_seed(study, run)) {
    all.erase("seed");
    all["values"].erase("seed");
    // Each run still stands for one that was executed, so that their agreement shows that the metrics are
    // deterministic.
    all["executed"] = {
        {"purpose", run.purpose}, {"experiment", run.experiment}, {"label", run.label}, {"replicate", run.replicate}};
  }
  // Written only if present, so that studies without an evaluator keep their keys.
  if (const TierSpec* tier = spec.evaluator.tier(run.tier)) {
    nlohmann::json sealed = nlohmann::json::object();
    for (const SealedData& one : study.sealed)
      if (one.tier == run.tier) sealed[one.place] = one.identity;
    all["evaluator"] = {{"command", tier->command}, {"data", std::move(sealed)}};
    if (study.scoring.hash != study.workspace_of(cell).hash) all["evaluator"]["workspace"] = study.scoring.hash;
  }
  return sha256_hex(all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

namespace {

/// What a run leaves to be continued is not in the cache, and a run that continues another is not its cell and seed
/// alone.
bool in_a_chain(const StudySpec& spec, const Run& run) {
  return has_continued_runs(spec) && run.purpose == Purpose::search;
}

}  // namespace

bool may_reuse(const Study& study, const Run& run) {
  if (in_a_chain(study.spec, run)) return false;
  // The record of the smoke run would agree with itself.
  if (!study.spec.cache || !run.stage.empty() || study.order_of(run) || run.purpose == Purpose::repeat) return false;
  return run.experiment.empty() || run.purpose == Purpose::search ||
         std::ranges::all_of(study.spec.metrics, [](const Metric& m) { return m.deterministic; });
}

std::optional<RunEnded> to_remember(const Study& study, const Run& run) {
  if (!study.spec.cache || !run.stage.empty() || study.order_of(run) || run.purpose == Purpose::repeat ||
      in_a_chain(study.spec, run) || run.state != RunState::succeeded || !run.cached_from.empty())
    return std::nullopt;
  // It ran on code that was amended since, and its key would name the new code.
  if (study.batch.amended_at > 0 && run.number <= study.batch.amended_at) return std::nullopt;
  RunEnded ended;
  ended.state = run.state;
  ended.outcome = run.outcome;
  ended.measurement = run.measurement;
  ended.out_log = run.out_log;
  ended.err_log = run.err_log;
  ended.usage_over_time = run.usage_over_time;
  ended.log_order = run.log_order;
  ended.outputs = run.outputs;
  ended.left_out = run.left_out;
  ended.output_digest = run.output_digest;
  ended.cached_from = study.run_id(run.number);
  return ended;
}

SetupKey setup_key_after(const StudySpec& spec, const std::map<std::string, std::string>& written) {
  nlohmann::json files = nlohmann::json::object();
  for (const std::string& file : spec.setup_files)
    if (const auto now = written.find(file); now != written.end()) files[file] = sha256_hex(now->second);
  if (!spec.setup || files.empty()) return {};
  return SetupKey(sha256_hex(nlohmann::json({{"after", spec.setup_key}, {"files", std::move(files)}}).dump()));
}

}  // namespace kernel
