#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "kernel/domain/cells.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/event_applier.h"
#include "kernel/study/ledger.h"

namespace kernel {

namespace {

int& pending(Study& study, const Run& run) {
  static int none = 0;
  switch (run.purpose) {
    case Purpose::smoke:
      return study.pending_smoke;
    case Purpose::pilot:
      return study.pending_pilot;
    case Purpose::comparison:
      return study.pending_comparison;
    case Purpose::registered:
    case Purpose::aa:
    case Purpose::repeat:
      return experiment_of(study, run.experiment).pending;
    case Purpose::search:
      if (study.search) return study.search->pending;
      throw std::logic_error("a run of a search that was not registered");
    case Purpose::scratch:
      break;
  }
  return none;
}

void count_streaks(Study& study, const Run& run) {
  // A run that never started ended because of another run's failure, which is already counted.
  if (run.purpose != Purpose::registered || run.token.empty()) return;
  for (Arm& arm : experiment_of(study, run.experiment).arms) {
    if (!concerns(study, arm, run)) continue;
    arm.streak = run.fingerprint.empty() || run.fingerprint != arm.fingerprint ? 0 : arm.streak;
    arm.fingerprint = run.fingerprint;
    if (!run.fingerprint.empty()) ++arm.streak;
  }
}

void give_up(Study& study, const std::vector<int>& numbers, const Reason& reason, std::int64_t now_ms) {
  for (const int number : numbers) {
    Run& run = run_of(study, number);
    move_to(study, run, RunState::cancelled);
    study.delayed.erase(number);
    study.blocked.erase(number);
    run.reason = reason;
    run.ended_ms = now_ms;
    --pending(study, run);
  }
  std::erase_if(study.queue, [&](int number) { return run_of(study, number).ended(); });
}

void wait_in_line(Study& study, Run& run) {
  if (needs_met(study, run)) return study.queue.push_back(run.number);
  study.blocked.insert(run.number);
  for (const int need : run.needs)
    if (const Run& newest = study.latest(run_of(study, need)); !newest.ended())
      study.waiting_for[newest.number].push_back(run.number);
}

/// Runs that waited for an earlier stage go to the front of the queue, while its outputs are still at hand.
void unblock(Study& study, const Run& run) {
  std::vector<int> ready;
  for (const int number : study.dependants(run.number))
    if (study.blocked.contains(number) && needs_met(study, *study.run(number))) ready.push_back(number);
  for (const int number : ready) study.blocked.erase(number);
  study.waiting_for.erase(run.number);
  study.queue.insert(study.queue.begin(), ready.begin(), ready.end());
}

void note_peak(Study& s, const Run& run) {
  const Usage& usage = run.outcome.usage;
  MemoryPeak& peak = s.peaks[{run.cell, run.stage}];
  peak.bytes = std::max(peak.bytes, usage.rss_peak_bytes);
  const std::int64_t gpu_bytes = usage.gpu ? usage.gpu->memory_peak_bytes.value_or(0) : 0;
  peak.gpu_bytes = std::max(peak.gpu_bytes, gpu_bytes);
  const auto note = [&](bool on_device, std::int64_t forecast, std::int64_t took) {
    if (forecast == 0 || took == 0) return;
    s.memory_outcomes.push_back({run.number, on_device, forecast, took});
    if (s.memory_outcomes.size() > most_memory_outcomes) s.memory_outcomes.pop_front();
  };
  note(false, run.lease.forecast_bytes, usage.rss_peak_bytes);
  note(true, run.lease.forecast_gpu_bytes, gpu_bytes);
}

}  // namespace

void EventApplier::operator()(const RunsQueued& e) {
  Study& s = study();
  if (s.queue.empty()) s.waiting_since_ms = event.at.boot_ms;
  for (const Cell& cell : e.cells) add_range_levels(s.spec, cell);
  std::vector<int> cells;
  for (const Cell& cell : e.cells) cells.push_back(cell_index(s, cell));
  for (const PlannedRun& planned : e.runs) {
    if (planned.number != static_cast<int>(s.runs.size()) + 1) throw std::logic_error("run numbers have a hole");
    Run run;
    run.number = planned.number;
    run.purpose = planned.aa ? Purpose::aa : planned.repeats ? Purpose::repeat : e.purpose;
    run.experiment = e.experiment;
    run.cell = cells.at(static_cast<std::size_t>(planned.cell));
    run.account = planned.retry_of ? run_of(s, planned.retry_of).account : account_for(s, event.actor, e);
    run.seed = planned.seed;
    run.replicate = planned.replicate;
    run.retry_of = planned.retry_of;
    run.attempt = planned.attempt;
    run.label = planned.label;
    run.stage = planned.stage;
    run.needs = planned.needs;
    run.continues = planned.continues;
    if (run.continues > 0 && s.latest(run_of(s, run.continues)).state != RunState::succeeded)
      throw std::logic_error(s.run_id(run.number) + " continues a run that did not succeed");
    // A repeat is scored as the smoke run was.
    if (run.stage.empty()) run.tier = planned.repeats ? tier_of(s.spec, Purpose::smoke) : e.tier;
    if (planned.delay_ms > 0) s.delayed[run.number] = event.at.boot_ms + planned.delay_ms;
    // A retry replaces its predecessor as evidence.
    if (planned.retry_of) {
      Run& earlier = run_of(s, planned.retry_of);
      earlier.superseded = true;
      earlier.retried_as = run.number;
      if (auto waiting = s.waiting_for.extract(planned.retry_of))
        s.waiting_for[run.number] = std::move(waiting.mapped());
    }
    ++pending(s, run);
    ++s.counted.in[static_cast<std::size_t>(RunState::queued)];
    if (run.purpose == Purpose::search)
      ++s.search->runs;
    else if (run.purpose != Purpose::registered)
      ++s.counted.scratch;
    if (e.order) s.thinking.orders.emplace(run.number, *e.order);
    s.runs.push_back(std::move(run));
    wait_in_line(s, s.runs.back());
  }
  if (e.purpose == Purpose::smoke) s.asked_smoke = true;
  if (e.purpose == Purpose::pilot) s.asked_pilot = true;
  const bool retries = std::ranges::any_of(e.runs, [](const PlannedRun& r) { return r.retry_of > 0; });
  if (e.purpose == Purpose::comparison && !retries) ++s.comparison_parts;
  if (e.purpose == Purpose::search && s.search && !s.spec.code && !retries) ++s.search->queued;
  if (e.purpose == Purpose::registered && !retries) ++experiment_of(s, e.experiment).planned;
}

void EventApplier::operator()(const RunStarting& e) {
  Study& s = study();
  Run& run = run_of(s, e.run);
  move_to(s, run, RunState::starting);
  run.token = e.token;
  run.lease = e.lease;
  run.beside = e.beside;
  s.waiting_since_ms = event.at.boot_ms;
  s.delayed.erase(e.run);
  // Runs start in queue order, so this is the front except in replays of unusual interleavings.
  const auto it = std::ranges::find(s.queue, e.run);
  if (it == s.queue.end()) throw std::logic_error(s.run_id(e.run) + " started without being queued");
  s.queue.erase(it);
  s.live.insert(e.run);
}

void EventApplier::operator()(const RunStarted& e) {
  Run& run = run_of(study(), e.run);
  if (run.state == RunState::starting) move_to(study(), run, RunState::running);
  run.started_ms = event.at.wall_ms;
}

void EventApplier::operator()(const RunRequeued& e) {
  Study& s = study();
  Run& run = run_of(s, e.run);
  move_to(s, run, RunState::queued);
  run.token = {};
  s.live.erase(e.run);
  s.to_kill.erase(e.run);
  s.queue.push_front(e.run);
}

void EventApplier::operator()(const RunEnded& e) {
  Study& s = study();
  Run& run = run_of(s, e.run);
  if (run.ended()) throw std::logic_error(s.run_id(e.run) + " ended twice");
  move_to(s, run, e.state);
  run.outcome = e.outcome;
  run.measurement = e.measurement;
  run.out_log = e.out_log;
  run.err_log = e.err_log;
  run.usage_over_time = e.usage_over_time;
  run.log_order = e.log_order;
  run.outputs = e.outputs;
  run.left_out = e.left_out;
  run.kept = e.kept;
  run.output_digest = e.output_digest;
  run.reason = e.reason;
  run.fingerprint = e.fingerprint;
  run.cached_from = e.cached_from;
  if (!e.cached_from.empty()) ++s.counted.cached;
  run.beside = std::max(run.beside, e.beside);
  run.started_ms = e.outcome.started_ms ? e.outcome.started_ms : run.started_ms;
  run.ended_ms = e.outcome.ended_ms ? e.outcome.ended_ms : event.at.wall_ms;
  if (s.live.erase(e.run) == 0 && s.blocked.erase(e.run) == 0) std::erase(s.queue, e.run);
  if (run.state == RunState::succeeded) unblock(s, run);
  const bool sets_up = s.spec.setup && run.stage == s.spec.setup->name && run.number > s.batch.amended_at;
  if (run.state == RunState::succeeded && sets_up) {
    s.environment.setup.emplace(SetupRecord{s.spec.setup_key, {}});
    for (const KeptOutput& kept : run.kept) s.environment.setup->entries.push_back(kept.path);
  }
  if (run.state == RunState::succeeded && run.cached_from.empty() && !s.order_of(run)) note_peak(s, run);
  s.to_kill.erase(e.run);
  --pending(s, run);
  count_streaks(s, run);
  settle(s.accounts.at(static_cast<std::size_t>(run.account)), run);
  if (s.state != StudyState::running && s.live.empty()) close_session(s, event.at.boot_ms);
}

void EventApplier::operator()(const ArmStopped& e) {
  Study& s = study();
  std::set<int> cells;
  for (const Cell& cell : e.cells) cells.insert(cell_index(s, cell));
  give_up(s, e.runs, e.reason, event.at.wall_ms);
  for (Arm& arm : experiment_of(s, e.experiment).arms)
    if (arm.fingerprint == e.fingerprint &&
        std::ranges::all_of(arm.cells, [&](int cell) { return cells.contains(cell); }))
      arm.stopped = true;
  s.stopped_arms.push_back(e);
}

void EventApplier::operator()(const HypothesisWithdrawn& e) {
  Study& s = study();
  for (HypothesisRecord& record : s.hypotheses) {
    if (record.hypothesis.id != e.hypothesis) continue;
    record.withdrawn = e.why;
    record.result.emplace();
    record.result->id = e.hypothesis;
    Reason why = e.why;
    why.text.erase(why.text.find_last_not_of(" .\n") + 1);
    record.result->reason = {ReasonCode::withdrawn, {{"why", std::vector{std::move(why)}}}};
  }
  give_up(s, e.runs, {ReasonCode::hypothesis_withdrawn, {{"hypothesis", e.hypothesis.text()}}}, event.at.wall_ms);
}

void EventApplier::operator()(const CancellationRequested& e) {
  Study& s = study();
  s.cancelling = true;
  s.cancel_why = e.why;
  s.to_kill = s.live;
  give_up(s, e.runs, {ReasonCode::study_cancelled}, event.at.wall_ms);
  // A cancelled study must still conclude, even if it was paused.
  if (s.state == StudyState::paused && !s.session_open) s.session_start_ms = event.at.boot_ms;
  s.session_open = true;
  s.state = StudyState::running;
}

void EventApplier::operator()(const WorkspaceAmended& e) {
  Study& s = study();
  s.workspace = e.workspace;
  if (e.workspace.by.empty()) s.scoring = e.workspace;
  s.to_kill = s.live;
  give_up(s, e.runs, {ReasonCode::code_amended}, event.at.wall_ms);
  // Checks of the old code do not apply to the new one. If an agent wrote it, neither do a person's approvals.
  s.check.reset();
  s.compared.reset();
  s.peaks.clear();
  s.earlier_peaks.clear();
  s.comparison_parts = 0;
  if (e.amendment) {
    s.amendments.push_back(*e.amendment);
    note_origin(fmt::format("code {}", s.amendments.size()));
  }
  for (GateRecord& record : s.gates)
    if (record.gate.on == GateOn::experiments && record.decided && !e.workspace.by.empty()) record.stale = true;
  if (e.seen) s.batch.sizes_before = s.all_sizes();
  s.sized.reset();
  s.asked_smoke = s.asked_pilot = false;
  if (e.setup) {
    s.spec.setup_key = e.setup->key;
    s.set_up_from = e.setup->workspace;
    s.environment.setup.reset();
  }
  s.batch.runs_before = s.batch.amended_at = static_cast<int>(s.runs.size());
  if (e.experiment.empty()) return;
  experiment_of(s, e.experiment).amended = true;
  for (HypothesisRecord& record : s.hypotheses)
    if (record.experiment == e.experiment && !record.result && !e.seen) record.experiment = {};
}

}  // namespace kernel
