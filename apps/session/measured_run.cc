#include "apps/session/measured_run.h"

#include <fmt/format.h>

#include "executors/harvest.h"
#include "executors/run_log.h"

namespace session {

namespace {

// With kernel::most_points they keep a run's share of the kernel's memory near 100 MB; docs/study-file.md names them.
constexpr std::int64_t most_metric_bytes = 32 << 20;
constexpr std::int64_t most_file_bytes = 16 << 20;

std::string kept_log(const std::string& folder, executors::Stream stream) {
  return executors::read_log(folder, stream, 0, executors::log_extent(folder, stream).length);
}

/// In the sandbox none can be; without one this is all there is.
std::string changed_file(const std::string& folder, const std::vector<kernel::ProtectedFile>& protect) {
  for (const kernel::ProtectedFile& file : protect)
    if (executors::sha256_of_work(folder, file.path) != file.sha256) return file.path;
  return "";
}

}  // namespace

MeasuredRun measure_run(const kernel::StudySpec& spec, const std::vector<kernel::ProtectedFile>& protect,
                        const std::string& run_folder, const kernel::JobOutcome& outcome) {
  MeasuredRun run;
  run.out = kept_log(run_folder, executors::Stream::out);
  {
    auto metrics = executors::read_metrics(run_folder, most_metric_bytes);
    kernel::Sources sources;
    if (!metrics) {
      sources.metrics_problem = "its metrics file is not read: " + metrics.problem().why;
    } else if (metrics->cut) {
      // The last line is perhaps a part of one.
      metrics->text.resize(metrics->text.rfind('\n') + 1);
      sources.metrics_problem = fmt::format("its metrics file is larger than {} MB", most_metric_bytes >> 20);
    }
    if (metrics) sources.metrics_file = metrics->text;
    sources.stdout_text = run.out;
    sources.read_file = [&](const std::string& path) -> kernel::FileText {
      auto text = executors::read_output(run_folder, path, most_file_bytes, outcome.started_ms);
      if (text) return std::move(*text);
      const std::string& why = text.problem().why;
      if (why == executors::no_such_file) return kernel::FileText(std::nullopt);
      return {why, why != executors::not_written};
    };
    // What an earlier stage reports is shown and concludes nothing.
    run.measured = outcome.stage.empty() ? kernel::measure(spec, sources) : kernel::measure_points(sources);
  }
  if (const std::string changed = changed_file(run_folder, protect); !changed.empty()) {
    run.measured.measurement.verdict = kernel::RunState::invalid;
    run.measured.measurement.reason = fmt::format("it changed {}, which `evaluator.protect` keeps as it is", changed);
  }
  run.err = kept_log(run_folder, executors::Stream::err);
  return run;
}

}  // namespace session
