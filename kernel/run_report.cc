#include "kernel/run_report.h"

#include <cstring>

#include <fmt/format.h>

namespace kernel {

namespace {

struct Chain {
  int asked = 0;  ///< Earlier attempts that asked for a retry.
  int lost = 0;
};

Chain chain_of(const Study& study, const Run& run) {
  Chain chain;
  for (const Run* earlier = study.run(run.retry_of); earlier; earlier = study.run(earlier->retry_of)) {
    if (earlier->state == RunState::lost)
      ++chain.lost;
    else
      ++chain.asked;
  }
  return chain;
}

RunsQueued next_attempt(const Study& study, const Run& run) {
  RunsQueued queued;
  queued.purpose = run.purpose;
  queued.experiment = run.experiment;
  queued.cells = {study.cells[static_cast<std::size_t>(run.cell)]};
  PlannedRun planned;
  planned.number = static_cast<int>(study.runs.size()) + 1;
  planned.seed = run.seed;
  planned.replicate = run.replicate;
  planned.retry_of = run.number;
  planned.attempt = run.attempt + 1;
  planned.label = run.label;
  queued.runs = {planned};
  return queued;
}

struct Fate {
  RunState state;
  std::string reason;
};

Fate fate_of(const ReportEnd& report) {
  const JobOutcome& outcome = report.outcome;
  switch (outcome.end) {
    case JobEnd::timed_out:
      return {RunState::timed_out, outcome.reason};
    case JobEnd::cancelled:
      return {RunState::cancelled, outcome.reason};
    case JobEnd::lost:
      return {RunState::lost, outcome.reason};
    case JobEnd::memory:
    case JobEnd::disk:
    case JobEnd::failed_to_start:
    case JobEnd::voided:
      return {RunState::failed, outcome.reason};
    case JobEnd::signalled:
      return {RunState::failed, outcome.reason.empty()
                                    ? fmt::format("killed by signal {} ({})", outcome.signal, strsignal(outcome.signal))
                                    : outcome.reason};
    case JobEnd::exited:
      break;
  }
  if (outcome.exit != 0) return {RunState::failed, fmt::format("exit status {}", outcome.exit)};
  if (report.measurement.verdict) return {*report.measurement.verdict, report.measurement.reason};
  return {RunState::succeeded, ""};
}

}  // namespace

std::vector<EventBody> judge_run(const Study& study, const Run& run, const ReportEnd& reported) {
  ReportEnd report = reported;
  // A shell tells of its child's signal by 128 + n (POSIX, Shell Command Language, 2.8.2).
  if (study.spec.run.shell && report.outcome.end == JobEnd::exited && report.outcome.exit > 128 &&
      report.outcome.exit <= 192) {
    report.outcome.end = JobEnd::signalled;
    report.outcome.signal = report.outcome.exit - 128;
  }
  if (report.outcome.end == JobEnd::voided) return {RunRequeued{run.number, report.outcome.reason}};
  Fate fate = fate_of(report);
  const Chain chain = chain_of(study, run);
  const bool asks = report.outcome.end == JobEnd::exited && report.outcome.exit == retry_exit;
  const bool again = (asks && chain.asked < most_retries) || (fate.state == RunState::lost && chain.lost < most_losses);
  if (asks) fate.reason = again ? "asked for a retry (exit 75)" : "asked for a third retry (exit 75)";

  RunEnded ended;
  ended.run = run.number;
  ended.state = fate.state;
  ended.outcome = report.outcome;
  ended.measurement = report.measurement;
  ended.out_log = report.out_log;
  ended.err_log = report.err_log;
  ended.outputs = report.outputs;
  ended.left_out = report.left_out;
  ended.output_digest = report.output_digest;
  ended.reason = std::move(fate.reason);
  std::vector<EventBody> events{std::move(ended)};
  if (again) events.push_back(next_attempt(study, run));
  return events;
}

}  // namespace kernel
