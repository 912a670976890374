#include "kernel/codec/json_macros.h"

namespace kernel {

using nlohmann::json;

// clang-format off


ETUDE_JSON(Scalar, text, number)
ETUDE_JSON(Level, name, value, bundle)
ETUDE_JSON(Range, low, high, log)
ETUDE_JSON(Factor, name, type, levels, range, baseline)
ETUDE_JSON(Summary, kind, last_k, target_metric, target)
ETUDE_JSON(Guard, metric, at_most, at_least)
ETUDE_JSON(Margin, kind, value)
ETUDE_JSON(SmallestEffect, kind, value)
ETUDE_JSON(Requirement, metric, direction, margin)
ETUDE_JSON_LATER(Hypothesis, (steps, requirements, difference, confidence), id, statement, mechanism, by, kind, metric, treatment, control, where, direction, margin, smallest_effect, method, over, along, slope_scale, slope_value, line)
ETUDE_JSON(Confirm, top, replicates)
ETUDE_JSON(Looks, at, futility)
ETUDE_JSON(Fidelity, factor, eta)
ETUDE_JSON(PinnedCell, cell, seeds)
ETUDE_JSON_LATER(Design, (correction, confirm, planted, looks, blocks, pinned), alpha, power, replicates_min, replicates_max, pairing, family, pilot, max_failed, smoke, order, warmup_runs, settled)
ETUDE_JSON(Budget, wall_s, runs, usd, tokens, gpu_hours)
ETUDE_JSON_LATER(GateSpec, (tools, wait_s, unanswered), on, above, pause)
ETUDE_JSON(WorkspaceSpec, path, exclude, max_bytes)
ETUDE_JSON(Protect, pattern, line)
ETUDE_JSON(DataSpec, name, path, identity, declared_id)
ETUDE_JSON(EnvironmentSpec, use, set, pass)
ETUDE_JSON(CommandTemplate, shell, words)
ETUDE_JSON(SealedPath, path, place, identity, line)
ETUDE_JSON(TierSpec, command, data, looks)
ETUDE_JSON_LATER(EvaluatorSpec, (validation, test), protect)
ETUDE_JSON(StageOutput, name, path)
ETUDE_JSON(LargeOutput, retain, pattern)
ETUDE_JSON(StageSpec, name, needs, run, factors, outputs, resources)
ETUDE_JSON(CodeSpec, drafts, branches, debug_depth, versions)
ETUDE_JSON(Paper, path, sha256, bytes, text, pages)
ETUDE_JSON_LATER(Work, (parts), key, type, title, year, venue, authors, doi, arxiv, url)
ETUDE_JSON(Literature, corpus, papers, references, references_sha256, works)
ETUDE_JSON(ForeignDeadEnd, id, title, lesson)
ETUDE_JSON(Extended, source, id, title, doi, files, head, workspace, controls, dead_ends)
ETUDE_JSON_LATER(StudySpec, (stages, large_outputs, cache, setup, setup_files, setup_key, fidelity, literature, code, extends), title, question, kind, workspace, environment, data, run, factors, constants, excludes, metrics, guards, hypotheses, design, evaluator, resources, budget, gates, keep_outputs, agents, seed, file)
// clang-format on

// Registrations hash these bytes, so members of later versions are written only if they are set.
void to_json(json& j, const Resources& r) {
  j = {{"cpus", r.cpus},           {"memory_bytes", r.memory_bytes}, {"disk_bytes", r.disk_bytes},
       {"timeout_s", r.timeout_s}, {"network", r.network},           {"sandbox", r.sandbox}};
  if (r.gpus > 0) j["gpus"] = r.gpus;
  if (r.gpu_memory_bytes) j["gpu_memory_bytes"] = *r.gpu_memory_bytes;
}

void from_json(const json& j, Resources& r) {
  const Resources none;
  r.cpus = j.value("cpus", none.cpus);
  r.gpus = j.value("gpus", none.gpus);
  r.gpu_memory_bytes = j.value("gpu_memory_bytes", none.gpu_memory_bytes);
  r.memory_bytes = j.value("memory_bytes", none.memory_bytes);
  r.disk_bytes = j.value("disk_bytes", none.disk_bytes);
  r.timeout_s = j.value("timeout_s", none.timeout_s);
  r.network = j.value("network", none.network);
  r.sandbox = j.value("sandbox", none.sandbox);
}

void to_json(json& j, const MetricSource& source) {
  if (const auto* out = std::get_if<FromStdout>(&source))
    j = {{"from", "stdout"}, {"pattern", out->pattern}};
  else if (const auto* file = std::get_if<FromJsonFile>(&source))
    j = {{"from", "file"}, {"file", file->file}, {"pointer", file->pointer}};
  else if (const auto* lines = std::get_if<FromJsonLines>(&source))
    j = {{"from", "jsonl"}, {"file", lines->file}, {"key", lines->key}, {"step", lines->step}};
  else if (const auto* table = std::get_if<FromCsv>(&source))
    j = {{"from", "csv"}, {"file", table->file}, {"key", table->key}, {"step", table->step}};
  else if (std::holds_alternative<FromEvaluator>(source))
    j = {{"from", "evaluator"}};
  else
    j = {{"from", "metrics"}};
}

void from_json(const json& j, MetricSource& source) {
  const std::string from = j.value("from", "metrics");
  if (from == "stdout")
    source = FromStdout{j.at("pattern")};
  else if (from == "file")
    source = FromJsonFile{j.at("file"), j.at("pointer")};
  else if (from == "jsonl")
    source = FromJsonLines{j.at("file"), j.at("key"), j.at("step")};
  else if (from == "csv")
    source = FromCsv{j.at("file"), j.at("key"), j.at("step")};
  else if (from == "evaluator")
    source = FromEvaluator{};
  else
    source = FromMetricsFile{};
}

void to_json(json& j, const Metric& m) {
  j = {{"name", m.name},
       {"unit", m.unit},
       {"goal", m.goal},
       {"primary", m.primary},
       {"summary", m.summary},
       {"warmup", m.warmup},
       {"type", m.type},
       {"scale", m.scale},
       {"deterministic", m.deterministic},
       {"on_nan", m.on_nan},
       {"censor_right", m.censor_right}};
  if (m.derived)
    j["derived"] = {{"from", m.derived->from}, {"relative_to", m.derived->relative_to}, {"ratio", m.derived->ratio}};
  to_json(j["source"], m.source);
}

void from_json(const json& j, Metric& m) {
  const Metric none;
  m.name = j.at("name");
  m.unit = j.value("unit", none.unit);
  m.goal = j.value("goal", none.goal);
  m.primary = j.value("primary", none.primary);
  m.summary = j.value("summary", none.summary);
  m.warmup = j.value("warmup", none.warmup);
  m.type = j.value("type", none.type);
  m.scale = j.value("scale", none.scale);
  m.deterministic = j.value("deterministic", none.deterministic);
  m.on_nan = j.value("on_nan", none.on_nan);
  m.censor_right = j.value("censor_right", none.censor_right);
  if (j.contains("source")) from_json(j.at("source"), m.source);
  if (j.contains("derived"))
    m.derived =
        Derived{j.at("derived").at("from"), j.at("derived").at("relative_to").get<Cell>(), j.at("derived").at("ratio")};
}

}  // namespace kernel
