#pragma once
// JSON forms of the kernel's values, for the event log, registrations and artifacts. Include only at a codec boundary.
// Members read with defaults, so that a newer reader takes an older record.

#include <nlohmann/json.hpp>

#include "kernel/event.h"

namespace nlohmann {
template <typename T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    if (value)
      j = *value;
    else
      j = nullptr;
  }
  static void from_json(const json& j, std::optional<T>& value) {
    if (j.is_null())
      value.reset();
    else
      value = j.get<T>();
  }
};
}  // namespace nlohmann

namespace kernel {

/// Finite numbers as numbers; NaN and the infinities as the strings "NaN", "Infinity", "-Infinity".
nlohmann::json number_json(double value);
double number_from_json(const nlohmann::json&);

#define ETUDE_ENUM(Type, ...) NLOHMANN_JSON_SERIALIZE_ENUM(Type, __VA_ARGS__)
#define ETUDE_JSON(...) NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(__VA_ARGS__)

// clang-format off
ETUDE_ENUM(FactorType, {{FactorType::text, "text"}, {FactorType::integer, "int"}, {FactorType::number, "number"}, {FactorType::boolean, "bool"}})
ETUDE_ENUM(SummaryKind, {{SummaryKind::last, "last"}, {SummaryKind::mean, "mean"}, {SummaryKind::median, "median"}, {SummaryKind::min, "min"}, {SummaryKind::max, "max"}, {SummaryKind::p99, "p99"}, {SummaryKind::mean_last, "mean_last"}, {SummaryKind::time_to, "time_to"}})
ETUDE_ENUM(Goal, {{Goal::minimize, "minimize"}, {Goal::maximize, "maximize"}})
ETUDE_ENUM(MetricType, {{MetricType::continuous, "continuous"}, {MetricType::proportion, "proportion"}, {MetricType::count, "count"}, {MetricType::time, "time"}})
ETUDE_ENUM(Scale, {{Scale::linear, "linear"}, {Scale::log, "log"}})
ETUDE_ENUM(OnNan, {{OnNan::fail, "fail"}, {OnNan::worst, "worst"}, {OnNan::censor, "censor"}})
ETUDE_ENUM(Direction, {{Direction::less, "less"}, {Direction::greater, "greater"}, {Direction::equal, "equal"}, {Direction::different, "different"}, {Direction::not_worse, "not_worse"}})
ETUDE_ENUM(Margin::Kind, {{Margin::Kind::relative, "relative"}, {Margin::Kind::absolute, "absolute"}})
ETUDE_ENUM(SmallestEffect::Kind, {{SmallestEffect::Kind::sd, "sd"}, {SmallestEffect::Kind::relative, "relative"}, {SmallestEffect::Kind::absolute, "absolute"}})
ETUDE_ENUM(HypothesisKind, {{HypothesisKind::compare, "compare"}, {HypothesisKind::slope, "slope"}})
ETUDE_ENUM(SlopeScale, {{SlopeScale::linear, "linear"}, {SlopeScale::loglog, "loglog"}, {SlopeScale::semilog, "semilog"}})
ETUDE_ENUM(Over, {{Over::average, "average"}, {Over::every, "every"}})
ETUDE_ENUM(Method, {{Method::automatic, "auto"}, {Method::t, "t"}, {Method::log_t, "log_t"}, {Method::exact, "exact"}})
ETUDE_ENUM(Pairing, {{Pairing::seed, "seed"}, {Pairing::none, "none"}})
ETUDE_ENUM(Order, {{Order::random, "random"}, {Order::listed, "listed"}})
ETUDE_ENUM(SandboxMode, {{SandboxMode::automatic, "auto"}, {SandboxMode::none, "none"}})
ETUDE_ENUM(Identity, {{Identity::sha256, "sha256"}, {Identity::manifest, "manifest"}, {Identity::declared, "declared"}})
ETUDE_ENUM(StudyKind, {{StudyKind::test, "test"}, {StudyKind::screen, "screen"}, {StudyKind::optimize, "optimize"}})
ETUDE_ENUM(JobEnd, {{JobEnd::exited, "exited"}, {JobEnd::signalled, "signalled"}, {JobEnd::timed_out, "timed_out"}, {JobEnd::memory, "memory"}, {JobEnd::disk, "disk"}, {JobEnd::cancelled, "cancelled"}, {JobEnd::failed_to_start, "failed_to_start"}, {JobEnd::voided, "voided"}, {JobEnd::lost, "lost"}})
ETUDE_ENUM(Purpose, {{Purpose::registered, "registered"}, {Purpose::smoke, "smoke"}, {Purpose::pilot, "pilot"}, {Purpose::scratch, "scratch"}})
ETUDE_ENUM(RunState, {{RunState::queued, "queued"}, {RunState::starting, "starting"}, {RunState::running, "running"}, {RunState::succeeded, "succeeded"}, {RunState::failed, "failed"}, {RunState::timed_out, "timed_out"}, {RunState::invalid, "invalid"}, {RunState::cancelled, "cancelled"}, {RunState::lost, "lost"}})
ETUDE_ENUM(Verdict, {{Verdict::supported, "supported"}, {Verdict::refuted, "refuted"}, {Verdict::inconclusive, "inconclusive"}})
ETUDE_ENUM(StudyState, {{StudyState::running, "running"}, {StudyState::paused, "paused"}, {StudyState::ended, "ended"}})
ETUDE_ENUM(StudyOutcome, {{StudyOutcome::concluded, "concluded"}, {StudyOutcome::failed, "failed"}, {StudyOutcome::cancelled, "cancelled"}})
ETUDE_ENUM(NodeType, {{NodeType::question, "question"}, {NodeType::experiment, "experiment"}, {NodeType::decision, "decision"}, {NodeType::dead_end, "dead_end"}, {NodeType::pivot, "pivot"}, {NodeType::insight, "insight"}})

ETUDE_JSON(Scalar, text, number)
ETUDE_JSON(Level, name, value, bundle)
ETUDE_JSON(Range, low, high, log)
ETUDE_JSON(Factor, name, type, levels, range, baseline)
ETUDE_JSON(Summary, kind, last_k, target_metric, target)
void to_json(nlohmann::json&, const MetricSource&);
void from_json(const nlohmann::json&, MetricSource&);
void to_json(nlohmann::json&, const Metric&);
void from_json(const nlohmann::json&, Metric&);
ETUDE_JSON(Guard, metric, at_most, at_least)
ETUDE_JSON(Margin, kind, value)
ETUDE_JSON(SmallestEffect, kind, value)
ETUDE_JSON(Hypothesis, id, statement, mechanism, by, kind, metric, treatment, control, where, direction, margin, smallest_effect, method, over, along, slope_scale, slope_value, line)
ETUDE_JSON(Design, alpha, power, replicates_min, replicates_max, pairing, family, pilot, max_failed, smoke, order, warmup_runs, settled)
ETUDE_JSON(Resources, cpus, memory_bytes, disk_bytes, timeout_s, network, sandbox)
ETUDE_JSON(Budget, wall_s, runs)
ETUDE_JSON(WorkspaceSpec, path, exclude, max_bytes)
ETUDE_JSON(DataSpec, name, path, identity, declared_id)
ETUDE_JSON(EnvironmentSpec, use, set, pass)
ETUDE_JSON(CommandTemplate, shell, words)
ETUDE_JSON(StudySpec, title, question, kind, workspace, environment, data, run, factors, constants, excludes, metrics, guards, hypotheses, design, resources, budget, keep_outputs, agents, seed, file)

ETUDE_JSON(DataMount, name, path)
ETUDE_JSON(Toolchain, path, prefixes, variables)
ETUDE_JSON(Usage, cpu_s, wall_s, rss_peak_bytes, read_bytes, written_bytes)
ETUDE_JSON(JobOutcome, run, token, end, exit, signal, reason, started_ms, ended_ms, usage, sandboxed)

ETUDE_JSON(BlobRef, sha256, bytes)
ETUDE_JSON(WorkspaceRecord, hash, files, bytes)
ETUDE_JSON(DataRecord, name, path, identity)
ETUDE_JSON(ProgramRecord, name, path, version)
ETUDE_JSON(EnvironmentRecord, toolchain, programs, machine)
ETUDE_JSON(PlannedRun, number, cell, seed, replicate, retry_of, attempt, label)
void to_json(nlohmann::json&, const MetricValue&);
void from_json(const nlohmann::json&, MetricValue&);
ETUDE_JSON(Measurement, values, points, malformed, verdict, reason, metrics)
ETUDE_JSON(OutputFile, path, blob)
ETUDE_JSON(CheckFinding, subject, message, serious)
ETUDE_JSON(SizeRecord, hypothesis, replicates, power, sd, how)
ETUDE_JSON(Registration, experiment, batch, family, alpha, hypotheses, cells, replicates, seeds, pairing, order, sizes, metrics, guards, command, workspace, environment, data)
ETUDE_JSON(HypothesisResult, id, verdict, effect, effect_relative, low, high, relative_low, relative_high, se, df, level, p, p_corrected, n, failed, power, reason, warnings, bca_low, bca_high, bca_descriptive)
ETUDE_JSON(Node, id, type, title, parents, fields, alternatives, evidence, experiment, hypothesis, time_ms)
ETUDE_JSON(Claim, id, hypothesis, experiment, title, statement, conditions, falsification, status, depends_on, tags)

ETUDE_JSON(StudyOpened, id, spec, text, workspace, environment, data, jobs, output, boot_id, reproduces)
ETUDE_JSON(HypothesisProposed, hypothesis, batch, exploratory)
ETUDE_JSON(ProposalsClosed, family)
ETUDE_JSON(RunsQueued, purpose, experiment, cells, runs)
ETUDE_JSON(RunStarting, run, token)
ETUDE_JSON(RunStarted, run)
ETUDE_JSON(RunRequeued, run, why)
ETUDE_JSON(RunEnded, run, state, outcome, measurement, out_log, err_log, outputs, output_digest, reason)
ETUDE_JSON(ManipulationChecked, skipped, findings)
ETUDE_JSON(SampleSized, sizes, warnings)
ETUDE_JSON(ExperimentRegistered, registration, hash)
ETUDE_JSON(ExperimentAnalysed, experiment, results)
ETUDE_JSON(NodeRecorded, node)
ETUDE_JSON(ClaimRecorded, claim)
ETUDE_JSON(StudyPaused, reason, detail)
ETUDE_JSON(StudyResumed, boot_id, jobs, raised)
ETUDE_JSON(StudyConcluded, outcome, detail)
ETUDE_JSON(ArtifactPackaged, path, report, head)
ETUDE_JSON(StudyEnded, outcome, detail)
// clang-format on

}  // namespace kernel
