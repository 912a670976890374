#include "apps/session/collect/measured_run.h"

#include <fmt/format.h>

#include "kernel/domain/enum_names.h"

namespace session {

using kernel::ReasonCode;

namespace {

// With kernel::most_points, these keep a run's share of the kernel's memory near 100 MB; see docs/study-file.md.
constexpr std::int64_t most_metric_bytes = 32 << 20;
constexpr std::int64_t most_file_bytes = 16 << 20;

/// The first protected file that the job changed. In a sandbox it cannot, so this is the check for jobs without one.
std::string changed_file(const executors::Harvest& harvest, const std::vector<kernel::ProtectedFile>& protect) {
  for (const kernel::ProtectedFile& file : protect)
    if (harvest.sha256_of_work(file.path) != file.sha256) return file.path;
  return "";
}

struct MetricsText {
  std::string text;
  kernel::Reason problem{};
};

MetricsText metrics_of(const executors::Harvest& harvest) {
  auto metrics = harvest.metrics(most_metric_bytes);
  if (!metrics) return {"", {ReasonCode::metrics_file_unread, {{"problem", metrics.problem().why}}}};
  if (!metrics->cut) return {std::move(metrics->text)};
  // The last line may be incomplete.
  metrics->text.resize(metrics->text.rfind('\n') + 1);
  return {std::move(metrics->text), {ReasonCode::metrics_file_too_large, {{"most", most_metric_bytes >> 20}}}};
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

void judge_evaluation(const Untouched& untouched, const executors::Harvest& harvest, const kernel::JobOutcome& outcome,
                      kernel::Measurement& measurement) {
  if (!outcome.evaluator) return;
  const kernel::EvaluatorOutcome& evaluator = *outcome.evaluator;
  const auto judge = [&](kernel::RunState state, kernel::Reason reason) {
    measurement.verdict = state;
    measurement.reason = std::move(reason);
  };
  if (!evaluator.succeeded())
    judge(kernel::RunState::failed,
          {ReasonCode::evaluator_failed,
           {{"tier", std::string(name(outcome.tier))}, {"problem", std::vector{evaluator.reason}}}});
  const std::int64_t started_ms = evaluator.started_ms ? evaluator.started_ms : outcome.ended_ms;
  if (const std::string data = touched_seal(untouched, outcome.tier, started_ms); !data.empty())
    judge(kernel::RunState::invalid, {ReasonCode::sealed_data_touched, {{"data", data}}});
  else if (const std::string changed = evaluator.started_ms ? changed_file(harvest, untouched.protect) : "";
           !changed.empty())
    judge(kernel::RunState::invalid, {ReasonCode::evaluator_given_other, {{"file", changed}}});
}

}  // namespace

std::string MeasuredRun::whole_out() const {
  return under_headings(out, evaluator_out);
}

std::string MeasuredRun::whole_err() const {
  return under_headings(err, evaluator_err);
}

std::optional<executors::LineOrder> MeasuredRun::whole_order() const {
  if (!order || (evaluator_out.empty() && evaluator_err.empty())) return order;
  if (!evaluator_order) return std::nullopt;
  executors::LineOrder whole = *order;
  // The headings.
  if (!evaluator_out.empty()) whole.add_out(1);
  if (!evaluator_err.empty()) whole.add_err(1);
  whole.append(*evaluator_order);
  return whole;
}

MeasuredRun measure_run(const kernel::StudySpec& spec, const Untouched& untouched, const executors::Harvest& harvest,
                        const kernel::JobOutcome& outcome) {
  MeasuredRun run;
  const executors::Harvest evaluation = harvest.evaluation();
  run.out = harvest.log(executors::OutputStream::out);
  {
    const MetricsText metrics = metrics_of(harvest);
    const MetricsText scores = outcome.evaluator ? metrics_of(evaluation) : MetricsText{};
    kernel::Sources sources;
    sources.metrics_file = metrics.text;
    sources.metrics_problem = metrics.problem;
    sources.tier = outcome.tier;
    sources.evaluator_file = scores.text;
    sources.evaluator_problem = scores.problem;
    sources.stdout_text = run.out;
    sources.read_file = [&](const std::string& path) -> kernel::FileText {
      auto text = harvest.result(path, most_file_bytes, outcome.started_ms);
      if (text) return std::move(*text);
      const executors::OutputProblem& problem = text.problem();
      if (problem.kind == executors::NoOutput::absent) return kernel::FileText(std::nullopt);
      return {problem.why, problem.kind == executors::NoOutput::unreadable};
    };
    // Values of an earlier stage are shown but decide nothing.
    run.measured = outcome.stage.empty() ? kernel::measure(spec, sources) : kernel::measure_points(sources);
  }
  judge_evaluation(untouched, evaluation, outcome, run.measured.measurement);
  if (const std::string changed = changed_file(harvest, untouched.protect); !changed.empty()) {
    run.measured.measurement.verdict = kernel::RunState::invalid;
    run.measured.measurement.reason = {ReasonCode::protected_file_changed, {{"file", changed}}};
  }
  run.err = harvest.log(executors::OutputStream::err);
  run.order = harvest.log_order(run.out, run.err);
  if (!outcome.evaluator) return run;
  run.evaluator_out = evaluation.log(executors::OutputStream::out);
  run.evaluator_err = evaluation.log(executors::OutputStream::err);
  run.evaluator_order = evaluation.log_order(run.evaluator_out, run.evaluator_err);
  return run;
}

}  // namespace session
