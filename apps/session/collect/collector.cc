#include "apps/session/collect/collector.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "apps/session/collect/measured_run.h"
#include "apps/session/home/garbage.h"
#include "base/digest.h"
#include "kernel/runs/job.h"
#include "kernel/runs/memory_failure.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/study/continuation.h"
#include "memory/files/file.h"
#include "memory/workspace/kept_outputs.h"

namespace session {

namespace {

constexpr std::int64_t most_output_bytes = 512 << 20;
constexpr std::size_t most_output_files = 1000;

/// A reason quotes what a job wrote.
void redact(kernel::Reason& reason, const kernel::Redactor& redactor) {
  reason.text = redactor(reason.text);
  for (auto& [name, value] : reason.values) {
    if (auto* text = std::get_if<std::string>(&value)) *text = redactor(*text);
    if (auto* quoted = std::get_if<std::vector<kernel::Reason>>(&value))
      for (kernel::Reason& one : *quoted) redact(one, redactor);
  }
}

/// Selects the outputs to copy: those that `keep` names, or all. Large outputs are linked, not copied.
executors::Wanted copied_outputs(const kernel::StudySpec& spec) {
  if (spec.keep_outputs.empty() && spec.large_outputs.empty()) return nullptr;
  const auto named = memory::matching(spec.keep_outputs);
  return [&spec, named](const std::string& path) {
    return (spec.keep_outputs.empty() || named(path)) && !memory::large_output(spec.large_outputs, path);
  };
}

}  // namespace

Collector::Collector(HomePaths home, const executors::Backend& backend, memory::Blobs& blobs, kernel::Inbox& inbox,
                     const kernel::Redactor& redact)
    : home_(std::move(home)),
      backend_(backend),
      blobs_(blobs),
      inbox_(inbox),
      redact_(redact),
      thread_(Rest::dropped, [this](const kernel::JobOutcome& outcome) { measure(outcome); }) {}

void Collector::know(const std::string& study, const kernel::StudySpec& spec, const kernel::WorkspaceRecord& workspace,
                     const std::vector<kernel::SealedData>& sealed) {
  const std::lock_guard lock(mutex_);
  known_[study] = std::make_shared<const Known>(Known{spec, workspace, sealed});
}

std::shared_ptr<const Collector::Known> Collector::known(const std::string& study) {
  const std::lock_guard lock(mutex_);
  return known_.at(study);
}

void Collector::collect(const kernel::JobOutcome& outcome) {
  thread_.add(outcome);
}

void Collector::measure(const kernel::JobOutcome& outcome) {
  const std::string study = kernel::run_study(outcome.run);
  const std::shared_ptr<const Known> about = known(study);
  kernel::Command command{study, kernel::kernel_actor, kernel::ReportEnd{}};
  try {
    command.body = report_of(outcome, *about);
  } catch (const std::exception& e) {
    // What cannot be stored cannot be recorded, so it stays in the run folder until a kernel has room.
    if (auto full = no_room(e, home_.root)) inbox_.post(kernel::DiskFull{std::move(*full)});
    inbox_.post(kernel::Fault{e.what()});
    return;
  }
  inbox_.post(std::move(command));
}

kernel::ReportEnd Collector::report_of(const kernel::JobOutcome& outcome, const Known& about) {
  const kernel::StudySpec& spec = about.spec;
  kernel::ReportEnd report;
  report.run = kernel::run_number(outcome.run);
  report.outcome = outcome;
  const std::string study = kernel::run_study(outcome.run), launch = kernel::launch_name(outcome.token);
  // The run is queued again. If the folder stayed, the next launch would find a voided claim in it.
  const bool never_began = outcome.end == kernel::JobEnd::no_room && outcome.started_ms == 0;
  if (outcome.end == kernel::JobEnd::voided || never_began)
    for (const std::string& name : {launch, kernel::checkpoint_name(outcome.token)})
      backend_.remove(home_.run_folder(study, name));
  // Files of a launch that never began, or whose job vanished, cannot be trusted.
  if (outcome.end == kernel::JobEnd::voided || outcome.end == kernel::JobEnd::lost ||
      outcome.end == kernel::JobEnd::no_room)
    return report;
  const executors::Harvest harvest = backend_.harvest(home_.run_folder(study, launch));

  MeasuredRun run = measure_run(spec, {about.workspace.protect, about.sealed, seals_}, harvest, outcome);
  kernel::Sha256 digest;
  digest.update(run.out);
  // Metrics were read from the unchanged output; only the stored text is redacted.
  for (std::string* text : {&run.out, &run.err, &run.evaluator_out, &run.evaluator_err}) *text = redact_(*text);
  report.measurement = std::move(run.measured.measurement);
  redact(report.measurement.reason, redact_);
  if (const kernel::StageSpec* stage = spec.stage(outcome.stage)) keep_for_later(*stage, harvest, report);
  if (outcome.leaves_files) keep_to_continue(*spec.fidelity, harvest, report);
  if (spec.setup && outcome.stage == spec.setup->name) keep_setup(about, harvest, report);
  const std::string& err = run.evaluator_err.empty() ? run.err : run.evaluator_err;
  const bool has_gpu = spec.resources_of(outcome.stage).gpus > 0;
  report.outcome = kernel::with_memory_failure(std::move(report.outcome), run.err, has_gpu);
  report.fingerprint = kernel::fingerprint(report.outcome, report.measurement, err);
  report.said = kernel::last_lines(err);

  const auto stored = [&](std::string_view bytes) {
    return bytes.empty() ? kernel::BlobRef{} : blobs_.put(bytes, memory::Blobs::Durable::later);
  };
  report.measurement.metrics = stored(kernel::points_jsonl(run.measured.points));
  digest.update(report.measurement.metrics.sha256);
  const std::string out = run.whole_out(), whole_err = run.whole_err();
  report.out_log = stored(out);
  report.err_log = stored(whole_err);
  // A secret of several lines, which was redacted, would shift the others.
  if (const auto order = run.whole_order(); order && !out.empty() && !whole_err.empty() && order->fits(out, whole_err))
    report.log_order = stored(order->text());
  if (const auto usage = std::exchange(report.outcome.usage_over_time, {})) report.usage_over_time = stored(*usage);
  executors::Outputs outputs = harvest.outputs(most_output_files, most_output_bytes, copied_outputs(spec));
  report.left_out = std::move(outputs.left_out);
  for (const executors::Output& file : outputs.files) {
    auto open = harvest.open_output(file.path);
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
  if (!spec.large_outputs.empty()) keep_large(spec.large_outputs, harvest, report);
  for (const kernel::KeptOutput& kept : report.kept) digest.update(kept.sha256);
  report.output_digest = digest.hex();
  blobs_.sync();
  return report;
}

kernel::Result<kernel::KeptOutput> Collector::keep(const std::string& path, const executors::Harvest& harvest,
                                                   const kernel::JobOutcome& outcome) const {
  const auto found = harvest.find_result(path, outcome.started_ms);
  if (!found) return found.problem();
  auto kept = memory::keep(home_.kept(), *found, std::filesystem::path(path).filename());
  if (kept) kept->path = path;
  return kept;
}

void Collector::keep_for_later(const kernel::StageSpec& stage, const executors::Harvest& harvest,
                               kernel::ReportEnd& report) const {
  const auto& end = report.outcome;
  if (end.end != kernel::JobEnd::exited || end.exit != 0) return;
  for (const kernel::StageOutput& output : stage.outputs) {
    auto kept = keep(output.path, harvest, report.outcome);
    if (!kept) {
      report.measurement.verdict = kernel::RunState::failed;
      report.measurement.reason = {kernel::ReasonCode::output_not_kept,
                                   {{"output", output.name}, {"path", output.path}, {"problem", kept.problem().why}}};
      report.kept.clear();
      return;
    }
    kept->name = output.name;
    report.kept.push_back(std::move(*kept));
  }
}

void Collector::keep_to_continue(const kernel::Fidelity& fidelity, const executors::Harvest& harvest,
                                 kernel::ReportEnd& report) const {
  if (report.outcome.end != kernel::JobEnd::exited || report.outcome.exit != 0) return;
  for (const std::string& path : fidelity.continues) {
    auto kept = keep(path, harvest, report.outcome);
    if (!kept) {
      report.measurement.verdict = kernel::RunState::failed;
      report.measurement.reason = {kernel::ReasonCode::not_left_to_continue,
                                   {{"path", path}, {"problem", kept.problem().why}}};
      report.kept.clear();
      return;
    }
    kept->name = kernel::left_to_continue;
    report.kept.push_back(std::move(*kept));
  }
}

void Collector::keep_setup(const Known& about, const executors::Harvest& harvest, kernel::ReportEnd& report) const {
  if (report.outcome.end != kernel::JobEnd::exited || report.outcome.exit != 0) return;
  const std::filesystem::path work = harvest.work();
  const std::filesystem::path given = home_.workspace(about.workspace.hash);
  std::vector<std::string> entries;
  for (const auto& entry : std::filesystem::directory_iterator(work))
    if (const auto name = entry.path().filename();
        !std::filesystem::exists(std::filesystem::symlink_status(given / name)))
      entries.push_back(name);
  std::ranges::sort(entries);
  memory::keep_entries(home_.kept(), about.spec.setup_key, work, entries);
  for (const std::string& entry : entries) report.kept.push_back({"", entry, about.spec.setup_key.text(), 0});
}

void Collector::keep_large(const std::vector<kernel::LargeOutput>& rules, const executors::Harvest& harvest,
                           kernel::ReportEnd& report) const {
  const auto is_large = [&](const std::string& path) { return memory::large_output(rules, path) != nullptr; };
  const executors::Outputs outputs =
      harvest.outputs(most_output_files, std::numeric_limits<std::int64_t>::max(), is_large);
  for (const executors::Output& file : outputs.files) {
    auto kept = keep(file.path, harvest, report.outcome);
    if (!kept) {
      executors::leave_out(report.left_out, file.path, kept.problem().why);
      continue;
    }
    report.kept.push_back(std::move(*kept));
  }
}

Remover::Remover(HomePaths home, const executors::Backend& backend)
    : home_(std::move(home)),
      backend_(backend),
      thread_(
          Rest::done, [this](const Ended& ended) { remove(ended); }, Pace::yielding) {}

void Remover::discard(const kernel::Study& study, const kernel::Run& run) {
  Ended ended{study.id, "", ""};
  if (!run.token.empty()) ended.launch = kernel::launch_name(run.token);
  const kernel::LaunchToken& first = study.run(kernel::first_attempt(study, run))->token;
  if (!run.superseded && !first.empty()) ended.checkpoint = kernel::checkpoint_name(first);
  thread_.add(std::move(ended));
}

void Remover::remove(const Ended& ended) const {
  for (const std::string& name : {ended.launch, ended.checkpoint})
    if (!name.empty()) backend_.remove(home_.run_folder(ended.study, name));
}

}  // namespace session
