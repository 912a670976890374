#include "apps/session/collector.h"

#include <filesystem>

#include <fmt/format.h>

#include "apps/session/leftovers.h"
#include "apps/session/measured_run.h"
#include "executors/harvest.h"
#include "executors/run_folder.h"
#include "kernel/digest.h"
#include "kernel/fingerprint.h"
#include "memory/ignore.h"

namespace session {

namespace {

constexpr std::int64_t most_output_bytes = 512 << 20;
constexpr std::size_t most_output_files = 1000;

/// A pattern without a slash is for names at any depth; one that matches a folder is for everything below it.
executors::Wanted wanted_outputs(const std::vector<std::string>& keep) {
  if (keep.empty()) return nullptr;
  auto rules = std::make_shared<memory::IgnoreRules>();  // Shared: functions are copied.
  for (const std::string& pattern : keep) rules->add(pattern, "");
  return [rules](const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      if (rules->ask(path.substr(0, slash), true) == memory::IgnoreRules::Answer::ignored) return true;
    return rules->ask(path, false) == memory::IgnoreRules::Answer::ignored;
  };
}

}  // namespace

Collector::Collector(HomePaths home, memory::Blobs& blobs, kernel::Inbox& inbox)
    : home_(std::move(home)),
      blobs_(blobs),
      inbox_(inbox),
      thread_(Rest::dropped, [this](const kernel::JobOutcome& outcome) { measure(outcome); }) {}

void Collector::know(const std::string& study, const kernel::StudySpec& spec,
                     const kernel::WorkspaceRecord& workspace) {
  const std::lock_guard lock(mutex_);
  studies_[study] = std::make_shared<const Known>(Known{spec, workspace.protect});
}

std::shared_ptr<const Collector::Known> Collector::known(const std::string& study) {
  const std::lock_guard lock(mutex_);
  return studies_.at(study);
}

void Collector::collect(const kernel::JobOutcome& outcome) {
  thread_.add(outcome);
}

void Collector::measure(const kernel::JobOutcome& outcome) {
  const std::string study = kernel::run_study(outcome.run);
  const std::shared_ptr<const Known> about = known(study);
  kernel::Command command{study, "kernel", {}};
  try {
    command.body = report_of(outcome, *about);
  } catch (const std::exception& e) {
    // What cannot be stored cannot be recorded: the kernel thread decides what a full disk means.
    inbox_.post(kernel::Fault{e.what()});
    return;
  }
  inbox_.post(std::move(command));
}

kernel::ReportEnd Collector::report_of(const kernel::JobOutcome& outcome, const Known& study) {
  kernel::ReportEnd report;
  report.run = kernel::run_number(outcome.run);
  report.outcome = outcome;
  // A launch that never happened, or whose job vanished, left nothing that could be believed.
  if (outcome.end == kernel::JobEnd::voided || outcome.end == kernel::JobEnd::lost) return report;
  const std::string folder =
      home_.run_folder(kernel::run_study(outcome.run), kernel::launch_name(report.run, outcome.token));

  MeasuredRun run = measure_run(study.spec, study.protect, folder, outcome);
  report.measurement = std::move(run.measured.measurement);
  report.fingerprint = kernel::fingerprint(outcome, report.measurement, run.err);

  kernel::Sha256 digest;
  digest.update(run.out);
  const auto stored = [&](std::string_view bytes) {
    return bytes.empty() ? kernel::BlobRef{} : blobs_.put(bytes, memory::Blobs::Durable::later);
  };
  report.measurement.metrics = stored(kernel::points_jsonl(run.measured.points));
  digest.update(report.measurement.metrics.sha256);
  report.out_log = stored(run.out);
  report.err_log = stored(run.err);
  executors::Outputs outputs =
      executors::list_outputs(folder, most_output_files, most_output_bytes, wanted_outputs(study.spec.keep_outputs));
  report.left_out = std::move(outputs.left_out);
  for (const executors::Output& file : outputs.files) {
    auto open = executors::open_output(folder, file.path);
    if (!open) {
      executors::leave_out(report.left_out, file.path, open.problem().why);
      continue;
    }
    const kernel::BlobRef blob = blobs_.put_fd(open->fd.get(), most_output_bytes, memory::Blobs::Durable::later);
    if (blob.sha256.empty()) {
      executors::leave_out(report.left_out, file.path, "it grew beyond the limit while it was read");
      continue;
    }
    digest.update(file.path);
    digest.update(blob.sha256);
    report.outputs.push_back({file.path, blob});
  }
  report.output_digest = digest.hex();
  blobs_.sync();
  return report;
}

}  // namespace session
