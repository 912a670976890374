#include "apps/session/measured_run.h"

#include "executors/harvest.h"
#include "executors/run_log.h"

namespace session {

namespace {

constexpr std::int64_t most_metric_bytes = 256 << 20;
constexpr std::int64_t most_file_bytes = 64 << 20;

std::string kept_log(const std::string& folder, executors::Stream stream) {
  return executors::read_log(folder, stream, 0, executors::log_extent(folder, stream).length);
}

}  // namespace

MeasuredRun measure_run(const kernel::StudySpec& spec, const std::string& run_folder,
                        const kernel::JobOutcome& outcome) {
  MeasuredRun run;
  run.out = kept_log(run_folder, executors::Stream::out);
  run.err = kept_log(run_folder, executors::Stream::err);
  kernel::Sources sources;
  const auto metrics = executors::read_metrics(run_folder, most_metric_bytes);
  if (metrics) sources.metrics_file = metrics->text;
  sources.stdout_text = run.out;
  sources.read_file = [&](const std::string& path) -> std::optional<std::string> {
    auto text = executors::read_output(run_folder, path, most_file_bytes, outcome.started_ms);
    if (!text) return std::nullopt;
    return std::move(*text);
  };
  run.measured = kernel::measure(spec, sources);
  return run;
}

}  // namespace session
