#include "apps/session/collect/measured_run.h"

#include <fmt/format.h>

#include "executors/harvest/captured_log.h"
#include "executors/harvest/harvest.h"
#include "executors/run_protocol/run_files.h"
#include "kernel/domain/enum_names.h"
#include "kernel/study/evaluator_rules.h"

namespace session {

namespace {

// With kernel::most_points, these keep a run's share of the kernel's memory near 100 MB; see docs/study-file.md.
constexpr std::int64_t most_metric_bytes = 32 << 20;
constexpr std::int64_t most_file_bytes = 16 << 20;

std::string kept_log(const std::string& folder, executors::Stream stream) {
  return executors::read_log(folder, stream, 0, executors::log_extent(folder, stream).length);
}

/// Without a sandbox this is the only check; in the sandbox jobs cannot change these files.
std::string changed_file(const std::string& folder, const std::vector<kernel::ProtectedFile>& protect) {
  for (const kernel::ProtectedFile& file : protect)
    if (executors::sha256_of_work(folder, file.path) != file.sha256) return file.path;
  return "";
}

struct MetricsText {
  std::string text, problem;
};

MetricsText metrics_of(const std::string& folder) {
  auto metrics = executors::read_metrics(folder, most_metric_bytes);
  if (!metrics) return {"", "its metrics file is not read: " + metrics.problem().why};
  if (!metrics->cut) return {std::move(metrics->text), ""};
  // The last line may be incomplete.
  metrics->text.resize(metrics->text.rfind('\n') + 1);
  return {std::move(metrics->text), fmt::format("its metrics file is larger than {} MB", most_metric_bytes >> 20)};
}

std::string under_headings(const std::string& job, const std::string& evaluator) {
  if (evaluator.empty()) return job;
  const char* between = job.empty() || job.ends_with('\n') ? "" : "\n";
  return fmt::format("{}{}--- the evaluator ---\n{}", job, between, evaluator);
}

std::string touched_seal(const Untouched& untouched, kernel::Tier tier, std::int64_t started_ms) {
  for (const kernel::SealedData& data : untouched.sealed)
    if (data.tier == tier && !untouched.watch.unchanged(data, started_ms)) return data.place;
  return "";
}

void judge_evaluation(const Untouched& untouched, const std::string& folder, const kernel::JobOutcome& outcome,
                      kernel::Measurement& measurement) {
  if (!outcome.evaluator) return;
  const kernel::EvaluatorOutcome& evaluator = *outcome.evaluator;
  const auto judge = [&](kernel::RunState state, std::string reason) {
    measurement.verdict = state;
    measurement.reason = std::move(reason);
  };
  if (!evaluator.succeeded())
    judge(kernel::RunState::failed, fmt::format("the evaluator ({}): {}", name(outcome.tier), evaluator.reason));
  const std::int64_t started_ms = evaluator.started_ms ? evaluator.started_ms : outcome.ended_ms;
  if (const std::string data = touched_seal(untouched, outcome.tier, started_ms); !data.empty())
    judge(
        kernel::RunState::invalid,
        fmt::format("the evaluator's {} is not what it was when the study was opened, or was touched meanwhile", data));
  else if (const std::string changed = evaluator.started_ms ? changed_file(folder, untouched.protect) : "";
           !changed.empty())
    judge(kernel::RunState::invalid,
          fmt::format("the evaluator was given a {} that is not the one `evaluator.protect` keeps", changed));
}

}  // namespace

std::string MeasuredRun::whole_out() const {
  return under_headings(out, evaluator_out);
}

std::string MeasuredRun::whole_err() const {
  return under_headings(err, evaluator_err);
}

MeasuredRun measure_run(const kernel::StudySpec& spec, const Untouched& untouched, const std::string& run_folder,
                        const kernel::JobOutcome& outcome) {
  MeasuredRun run;
  const std::string evaluator_folder = run_folder + "/" + supervisor::evaluator_folder;
  run.out = kept_log(run_folder, executors::Stream::out);
  {
    const MetricsText metrics = metrics_of(run_folder);
    const MetricsText scores = outcome.evaluator ? metrics_of(evaluator_folder) : MetricsText{};
    kernel::Sources sources;
    sources.metrics_file = metrics.text;
    sources.metrics_problem = metrics.problem;
    sources.tier = outcome.tier;
    sources.evaluator_file = scores.text;
    sources.evaluator_problem = scores.problem;
    sources.stdout_text = run.out;
    sources.read_file = [&](const std::string& path) -> kernel::FileText {
      auto text = executors::read_output(run_folder, path, most_file_bytes, outcome.started_ms);
      if (text) return std::move(*text);
      const std::string& why = text.problem().why;
      if (why == executors::no_such_file) return kernel::FileText(std::nullopt);
      return {why, why != executors::not_written};
    };
    // Values of an earlier stage are shown but decide nothing.
    run.measured = outcome.stage.empty() ? kernel::measure(spec, sources) : kernel::measure_points(sources);
  }
  judge_evaluation(untouched, evaluator_folder, outcome, run.measured.measurement);
  if (const std::string changed = changed_file(run_folder, untouched.protect); !changed.empty()) {
    run.measured.measurement.verdict = kernel::RunState::invalid;
    run.measured.measurement.reason = fmt::format("it changed {}, which `evaluator.protect` keeps as it is", changed);
  }
  run.err = kept_log(run_folder, executors::Stream::err);
  if (!outcome.evaluator) return run;
  run.evaluator_out = kept_log(evaluator_folder, executors::Stream::out);
  run.evaluator_err = kept_log(evaluator_folder, executors::Stream::err);
  return run;
}

}  // namespace session
