#include "kernel/state.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "kernel/design.h"
#include "kernel/ledger.h"
#include "kernel/search_space.h"
#include "kernel/stages.h"

namespace kernel {

namespace {

Study& study_of(State& state, const Event& event) {
  Study* study = state.study(event.study);
  if (!study) throw std::logic_error("event for unknown study " + event.study);
  return *study;
}

Run& run_of(Study& study, int number) {
  if (number < 1 || number > static_cast<int>(study.runs.size()))
    throw std::logic_error("event for unknown run " + study.run_id(number));
  return study.runs[static_cast<std::size_t>(number) - 1];
}

Experiment& experiment_of(Study& study, const std::string& id) {
  for (Experiment& e : study.experiments)
    if (e.registration.experiment == id) return e;
  throw std::logic_error("event for unknown experiment " + id);
}

int cell_index(Study& study, const Cell& cell) {
  const auto [it, added] = study.cell_numbers.try_emplace(cell, static_cast<int>(study.cells.size()));
  if (added) study.cells.push_back(cell);
  return it->second;
}

int& pending(Study& study, const Run& run) {
  static int none = 0;
  switch (run.purpose) {
    case Purpose::smoke:
      return study.pending_smoke;
    case Purpose::pilot:
      return study.pending_pilot;
    case Purpose::registered:
    case Purpose::aa:
      return experiment_of(study, run.experiment).pending;
    case Purpose::search:
      if (study.search) return study.search->pending;
      throw std::logic_error("a run of a search that was not registered");
    case Purpose::scratch:
      break;
  }
  return none;
}

/// The arms of a registration's hypotheses, as cells of the study: every side once.
std::vector<Arm> arms_of(Study& study, const Registration& registration) {
  std::vector<Arm> arms;
  std::set<std::vector<int>> seen;
  for (const Hypothesis& h : registration.hypotheses)
    for (const Cell* side : {&h.treatment, &h.control}) {
      Cell pattern = *side;
      pattern.insert(h.where.begin(), h.where.end());
      std::vector<int> cells;
      for (const Cell& cell : registration.cells)
        if (matches(cell, pattern)) cells.push_back(cell_index(study, cell));
      if (!cells.empty() && seen.insert(cells).second) arms.push_back({std::move(cells), "", 0, false});
    }
  return arms;
}

void count_streaks(Study& study, const Run& run) {
  // One that never started failed for another's failure, which was counted.
  if (run.purpose != Purpose::registered || run.token.empty()) return;
  for (Arm& arm : experiment_of(study, run.experiment).arms) {
    if (!concerns(study, arm, run)) continue;
    arm.streak = run.fingerprint.empty() || run.fingerprint != arm.fingerprint ? 0 : arm.streak;
    arm.fingerprint = run.fingerprint;
    if (!run.fingerprint.empty()) ++arm.streak;
  }
}

void move_to(Study& study, Run& run, RunState state) {
  --study.runs_in[static_cast<std::size_t>(run.state)];
  ++study.runs_in[static_cast<std::size_t>(state)];
  run.state = state;
}

/// What waited never starts.
void give_up(Study& study, const std::vector<int>& numbers, const std::string& reason, std::int64_t now_ms) {
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

/// What waited for a run of an earlier stage goes first: it needs what is still at hand.
void unblock(Study& study, const Run& run) {
  std::vector<int> ready;
  for (const int number : study.dependants(run.number))
    if (study.blocked.contains(number) && needs_met(study, *study.run(number))) ready.push_back(number);
  for (const int number : ready) study.blocked.erase(number);
  study.waiting_for.erase(run.number);
  study.queue.insert(study.queue.begin(), ready.begin(), ready.end());
}

void close_session(Study& study, std::int64_t boot_ms) {
  if (study.session_open) study.wall_closed_ms += boot_ms - study.session_start_ms;
  study.session_start_ms = boot_ms;
  study.session_open = false;
}

struct Fold {
  State& state;
  const Event& event;

  Study& study() { return study_of(state, event); }

  void operator()(const StudyOpened& e) {
    Study s;
    s.id = e.id;
    s.spec = e.spec;
    s.text = e.text;
    s.workspace = e.workspace;
    s.environment = e.environment;
    s.data = e.data;
    s.sealed = e.sealed;
    s.sealed_manifest = e.sealed_manifest;
    s.jobs = e.jobs;
    s.output = e.output;
    s.reproduces = e.reproduces;
    s.request = e.request;
    s.predecessors = e.predecessors;
    s.boot_id = e.boot_id;
    s.opened_ms = event.at.wall_ms;
    s.session_start_ms = s.waiting_since_ms = event.at.boot_ms;
    if (!state.studies.emplace(e.id, std::move(s)).second) throw std::logic_error("study " + e.id + " opened twice");
  }
  void operator()(const HypothesisProposed& e) {
    study().hypotheses.push_back({e.hypothesis, e.batch, e.exploratory, "", std::nullopt});
  }
  void operator()(const ProposalsClosed& e) {
    study().proposals_closed = true;
    study().family = e.family;
  }
  void operator()(const RunsQueued& e) {
    Study& s = study();
    if (s.queue.empty()) s.waiting_since_ms = event.at.boot_ms;
    for (const Cell& cell : e.cells) add_range_levels(s.spec, cell);
    std::vector<int> cells;
    for (const Cell& cell : e.cells) cells.push_back(cell_index(s, cell));
    for (const PlannedRun& planned : e.runs) {
      if (planned.number != static_cast<int>(s.runs.size()) + 1) throw std::logic_error("run numbers have a hole");
      Run run;
      run.number = planned.number;
      run.purpose = planned.aa ? Purpose::aa : e.purpose;
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
      if (run.stage.empty()) run.tier = e.tier;
      if (planned.delay_ms > 0) s.delayed[run.number] = event.at.boot_ms + planned.delay_ms;
      // A retry takes its predecessor's place as evidence.
      if (planned.retry_of) {
        Run& earlier = run_of(s, planned.retry_of);
        earlier.superseded = true;
        earlier.retried_as = run.number;
        if (auto waiting = s.waiting_for.extract(planned.retry_of))
          s.waiting_for[run.number] = std::move(waiting.mapped());
      }
      ++pending(s, run);
      ++s.runs_in[static_cast<std::size_t>(RunState::queued)];
      if (run.purpose == Purpose::search)
        ++s.search->runs;
      else if (run.purpose != Purpose::registered)
        ++s.scratch_runs;
      s.runs.push_back(std::move(run));
      wait_in_line(s, s.runs.back());
    }
    if (e.purpose == Purpose::smoke) s.asked_smoke = true;
    if (e.purpose == Purpose::pilot) s.asked_pilot = true;
    const bool retries = std::any_of(e.runs.begin(), e.runs.end(), [](const PlannedRun& r) { return r.retry_of > 0; });
    if (e.purpose == Purpose::search && s.search && !retries) ++s.search->queued;
  }
  void operator()(const RunStarting& e) {
    Study& s = study();
    Run& run = run_of(s, e.run);
    move_to(s, run, RunState::starting);
    run.token = e.token;
    run.lease = e.lease;
    run.beside = e.beside;
    s.waiting_since_ms = event.at.boot_ms;
    s.delayed.erase(e.run);
    // Runs start in queue order, so this is the front but for replays of unusual interleavings.
    const auto it = std::find(s.queue.begin(), s.queue.end(), e.run);
    if (it == s.queue.end()) throw std::logic_error(s.run_id(e.run) + " started without being queued");
    s.queue.erase(it);
    s.live.insert(e.run);
  }
  void operator()(const RunStarted& e) {
    Run& run = run_of(study(), e.run);
    if (run.state == RunState::starting) move_to(study(), run, RunState::running);
    run.started_ms = event.at.wall_ms;
  }
  void operator()(const RunRequeued& e) {
    Study& s = study();
    Run& run = run_of(s, e.run);
    move_to(s, run, RunState::queued);
    run.token.clear();
    s.live.erase(e.run);
    s.to_kill.erase(e.run);
    s.queue.push_front(e.run);
  }
  void operator()(const RunEnded& e) {
    Study& s = study();
    Run& run = run_of(s, e.run);
    if (run.ended()) throw std::logic_error(s.run_id(e.run) + " ended twice");
    move_to(s, run, e.state);
    run.outcome = e.outcome;
    run.measurement = e.measurement;
    run.out_log = e.out_log;
    run.err_log = e.err_log;
    run.outputs = e.outputs;
    run.left_out = e.left_out;
    run.kept = e.kept;
    run.output_digest = e.output_digest;
    run.reason = e.reason;
    run.fingerprint = e.fingerprint;
    run.cached_from = e.cached_from;
    if (!e.cached_from.empty()) ++s.cached_runs;
    run.beside = std::max(run.beside, e.beside);
    run.started_ms = e.outcome.started_ms ? e.outcome.started_ms : run.started_ms;
    run.ended_ms = e.outcome.ended_ms ? e.outcome.ended_ms : event.at.wall_ms;
    if (s.live.erase(e.run) == 0 && s.blocked.erase(e.run) == 0) std::erase(s.queue, e.run);
    if (run.state == RunState::succeeded) unblock(s, run);
    if (run.state == RunState::succeeded && s.spec.setup && run.stage == s.spec.setup->name) {
      s.environment.setup.emplace(SetupRecord{s.spec.setup_key, {}});
      for (const KeptOutput& kept : run.kept) s.environment.setup->entries.push_back(kept.path);
    }
    s.to_kill.erase(e.run);
    --pending(s, run);
    count_streaks(s, run);
    settle(s.accounts.at(static_cast<std::size_t>(run.account)), run);
    if (s.state != StudyState::running && s.live.empty()) close_session(s, event.at.boot_ms);
  }
  void operator()(const ArmStopped& e) {
    Study& s = study();
    std::set<int> cells;
    for (const Cell& cell : e.cells) cells.insert(cell_index(s, cell));
    give_up(s, e.runs, e.reason, event.at.wall_ms);
    for (Arm& arm : experiment_of(s, e.experiment).arms)
      if (arm.fingerprint == e.fingerprint &&
          std::all_of(arm.cells.begin(), arm.cells.end(), [&](int cell) { return cells.contains(cell); }))
        arm.stopped = true;
    s.stopped_arms.push_back(e);
  }
  void operator()(const ManipulationChecked& e) { study().check = e; }
  void operator()(const SampleSized& e) { study().sized = e; }
  void operator()(const ExperimentRegistered& e) {
    Study& s = study();
    for (const Hypothesis& h : e.registration.hypotheses)
      for (HypothesisRecord& record : s.hypotheses)
        if (record.hypothesis.id == h.id) record.experiment = e.registration.experiment;
    std::vector<Arm> arms = arms_of(s, e.registration);
    s.experiments.push_back({e.registration, e.hash, event.at.wall_ms, 0, false, std::nullopt, std::move(arms)});
  }
  void operator()(const SearchRegistered& e) {
    for (const Cell& cell : e.plan.registered.cells) add_range_levels(study().spec, cell);
    study().search.emplace(Search{e.plan, e.hash, event.at.wall_ms, 0, 0, 0, {}});
  }
  void operator()(const RungRanked& e) {
    if (!study().search) throw std::logic_error("a rung of a search that was not registered");
    study().search->ranked.push_back(e);
  }
  void operator()(const IntegrityFound& e) { study().integrity.push_back(e); }
  void operator()(const ExperimentAnalysed& e) {
    Study& s = study();
    experiment_of(s, e.experiment).analysed = true;
    experiment_of(s, e.experiment).aa = e.aa;
    for (const HypothesisResult& result : e.results)
      for (HypothesisRecord& record : s.hypotheses)
        if (record.hypothesis.id == result.id) record.result = result;
  }
  void operator()(const NodeRecorded& e) {
    study().nodes.push_back(e.node);
    study().nodes.back().time_ms = event.at.wall_ms;
  }
  void operator()(const ClaimRecorded& e) { study().claims.push_back(e.claim); }
  void operator()(const StudyPaused& e) {
    Study& s = study();
    s.state = StudyState::paused;
    s.pause_reason = e.reason;
    s.pause_detail = e.detail;
    // What still runs is waited for, and its time is spent.
    if (s.live.empty()) close_session(s, event.at.boot_ms);
  }
  void operator()(const StudyResumed& e) {
    Study& s = study();
    // A crash leaves its session open: it lasted until its last event.
    close_session(s, s.last_boot_ms);
    s.session_open = true;
    s.state = StudyState::running;
    s.pause_reason.clear();
    s.pause_detail.clear();
    s.boot_id = e.boot_id;
    s.session_start_ms = s.waiting_since_ms = event.at.boot_ms;
    // A boot clock that began anew says nothing of earlier times.
    s.delayed.clear();
    if (e.jobs > 0) s.jobs = e.jobs;
    if (e.raised.wall_s) s.spec.budget.wall_s = e.raised.wall_s;
    if (e.raised.runs) s.spec.budget.runs = e.raised.runs;
    if (e.raised.usd) s.spec.budget.usd = e.raised.usd;
    if (e.raised.tokens) s.spec.budget.tokens = e.raised.tokens;
    if (e.raised.gpu_hours) s.spec.budget.gpu_hours = e.raised.gpu_hours;
  }
  void operator()(const CancellationRequested& e) {
    Study& s = study();
    s.cancelling = true;
    s.cancel_why = e.why;
    s.to_kill = s.live;
    give_up(s, e.runs, "the study was cancelled", event.at.wall_ms);
    // What is left to do is done, whatever it waited for.
    if (s.state == StudyState::paused && !s.session_open) s.session_start_ms = event.at.boot_ms;
    s.session_open = true;
    s.state = StudyState::running;
  }
  void operator()(const RunCancellationRequested& e) { study().to_kill.insert(e.run); }
  void operator()(const StudySteered& e) { study().steering.push_back(e.text); }
  void operator()(const StudyForked& e) {
    Study& s = study();
    s.fork = e;
    s.looks_elsewhere += e.looks;
    s.opened_ms = event.at.wall_ms;
    for (auto run = e.requeued.rbegin(); run != e.requeued.rend(); ++run) {
      move_to(s, run_of(s, *run), RunState::queued);
      run_of(s, *run).token.clear();
      s.queue.push_front(*run);
    }
    s.live.clear();
    s.to_kill.clear();
    s.delayed.clear();
    s.state = StudyState::paused;
    s.pause_reason = "fork";
    s.pause_detail = "forked from " + e.from;
    close_session(s, s.last_boot_ms);
  }
  void operator()(const GateOpened& e) { study().gates.push_back({e.gate, event.at.wall_ms, false, false, "", ""}); }
  void operator()(const GateDecided& e) {
    for (GateRecord& record : study().gates) {
      if (record.gate.id != e.gate) continue;
      record.decided = true;
      record.approved = e.approved;
      record.why = e.why;
      record.by = event.actor;
    }
  }
  void operator()(const StudyConcluded& e) {
    study().outcome = e.outcome;
    study().outcome_detail = e.detail;
  }
  void operator()(const ArtifactPackaged& e) {
    study().artifact = e.path;
    study().report = e.report;
    study().sealed_head = e.head;
  }
  void operator()(const StudyEnded& e) {
    Study& s = study();
    s.state = StudyState::ended;
    s.outcome = e.outcome;
    s.outcome_detail = e.detail;
    s.ended_ms = event.at.wall_ms;
    close_session(s, event.at.boot_ms);
  }
};

}  // namespace

void apply(State& state, const Event& event) {
  std::visit(Fold{state, event}, event.body);
  study_of(state, event).last_boot_ms = event.at.boot_ms;
}

}  // namespace kernel
