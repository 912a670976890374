#include "kernel/state.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

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
      return experiment_of(study, run.experiment).pending;
    case Purpose::scratch:
      break;
  }
  return none;
}

void move_to(Study& study, Run& run, RunState state) {
  --study.runs_in[static_cast<std::size_t>(run.state)];
  ++study.runs_in[static_cast<std::size_t>(state)];
  run.state = state;
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
    s.jobs = e.jobs;
    s.output = e.output;
    s.reproduces = e.reproduces;
    s.boot_id = e.boot_id;
    s.opened_ms = event.at.wall_ms;
    s.session_start_ms = event.at.boot_ms;
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
    std::vector<int> cells;
    for (const Cell& cell : e.cells) cells.push_back(cell_index(s, cell));
    for (const PlannedRun& planned : e.runs) {
      if (planned.number != static_cast<int>(s.runs.size()) + 1) throw std::logic_error("run numbers have a hole");
      Run run;
      run.number = planned.number;
      run.purpose = e.purpose;
      run.experiment = e.experiment;
      run.cell = cells.at(static_cast<std::size_t>(planned.cell));
      run.seed = planned.seed;
      run.replicate = planned.replicate;
      run.retry_of = planned.retry_of;
      run.attempt = planned.attempt;
      run.label = planned.label;
      // A retry takes its predecessor's place as evidence.
      if (planned.retry_of) run_of(s, planned.retry_of).superseded = true;
      ++pending(s, run);
      ++s.runs_in[static_cast<std::size_t>(RunState::queued)];
      if (run.purpose != Purpose::registered) ++s.scratch_runs;
      s.queue.push_back(run.number);
      s.runs.push_back(std::move(run));
    }
    if (e.purpose == Purpose::smoke) s.asked_smoke = true;
    if (e.purpose == Purpose::pilot) s.asked_pilot = true;
  }
  void operator()(const RunStarting& e) {
    Study& s = study();
    Run& run = run_of(s, e.run);
    move_to(s, run, RunState::starting);
    run.token = e.token;
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
    run.output_digest = e.output_digest;
    run.reason = e.reason;
    run.started_ms = e.outcome.started_ms ? e.outcome.started_ms : run.started_ms;
    run.ended_ms = e.outcome.ended_ms ? e.outcome.ended_ms : event.at.wall_ms;
    if (s.live.erase(e.run) == 0) std::erase(s.queue, e.run);
    --pending(s, run);
    ++s.runs_spent;
    if (const std::optional<Energy>& used = e.outcome.usage.energy) {
      if (!s.energy) s.energy.emplace();
      s.energy->joules = add_joules(s.energy->joules, used->joules());
      ++s.energy->runs;
      s.energy->exclusive = s.energy->exclusive && used->exclusive;
    }
  }
  void operator()(const ManipulationChecked& e) { study().check = e; }
  void operator()(const SampleSized& e) { study().sized = e; }
  void operator()(const ExperimentRegistered& e) {
    Study& s = study();
    for (const Hypothesis& h : e.registration.hypotheses)
      for (HypothesisRecord& record : s.hypotheses)
        if (record.hypothesis.id == h.id) record.experiment = e.registration.experiment;
    s.experiments.push_back({e.registration, e.hash, event.at.wall_ms, 0, false});
  }
  void operator()(const IntegrityFound& e) { study().integrity.push_back(e); }
  void operator()(const ExperimentAnalysed& e) {
    Study& s = study();
    experiment_of(s, e.experiment).analysed = true;
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
    s.wall_closed_ms += event.at.boot_ms - s.session_start_ms;
    s.session_start_ms = event.at.boot_ms;
  }
  void operator()(const StudyResumed& e) {
    Study& s = study();
    // A crash leaves its session open: it lasted until its last event.
    if (s.state == StudyState::running) s.wall_closed_ms += s.last_boot_ms - s.session_start_ms;
    s.state = StudyState::running;
    s.pause_reason.clear();
    s.pause_detail.clear();
    s.boot_id = e.boot_id;
    s.session_start_ms = event.at.boot_ms;
    if (e.jobs > 0) s.jobs = e.jobs;
    if (e.raised.wall_s) s.spec.budget.wall_s = e.raised.wall_s;
    if (e.raised.runs) s.spec.budget.runs = e.raised.runs;
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
    s.wall_closed_ms += event.at.boot_ms - s.session_start_ms;
    s.session_start_ms = event.at.boot_ms;
  }
};

}  // namespace

void apply(State& state, const Event& event) {
  std::visit(Fold{state, event}, event.body);
  study_of(state, event).last_boot_ms = event.at.boot_ms;
}

Study* State::study(const std::string& id) {
  const auto it = studies.find(id);
  return it == studies.end() ? nullptr : &it->second;
}

const Study* State::study(const std::string& id) const {
  return const_cast<State*>(this)->study(id);
}

Stage Study::stage() const {
  if (state == StudyState::ended) return Stage::done;
  if (outcome) return Stage::packaging;
  if (!proposals_closed) return Stage::proposing;
  if (!check) return Stage::checking;
  if (!sized) return Stage::sizing;
  if (experiments.empty()) return Stage::registering;
  for (const Experiment& e : experiments) {
    if (e.pending > 0) return Stage::measuring;
    if (!e.analysed) return Stage::analysing;
  }
  return Stage::concluding;
}

const Run* Study::run(int number) const {
  return number >= 1 && number <= static_cast<int>(runs.size()) ? &runs[static_cast<std::size_t>(number) - 1] : nullptr;
}

const HypothesisRecord* Study::hypothesis(const std::string& hypothesis_id) const {
  for (const HypothesisRecord& record : hypotheses)
    if (record.hypothesis.id == hypothesis_id) return &record;
  return nullptr;
}

std::string Study::run_id(int number) const {
  return id + "-r" + std::to_string(number);
}

double Study::wall_spent_s() const {
  const std::int64_t open = state == StudyState::running ? last_boot_ms - session_start_ms : 0;
  return static_cast<double>(wall_closed_ms + open) / 1000.0;
}

int run_number(const std::string& run_id) {
  const std::size_t at = run_id.rfind("-r");
  if (at == std::string::npos) return 0;
  int number = 0;
  const auto [end, error] = std::from_chars(run_id.data() + at + 2, run_id.data() + run_id.size(), number);
  return error == std::errc() && end == run_id.data() + run_id.size() ? number : 0;
}

std::string run_study(const std::string& run_id) {
  return run_number(run_id) ? run_id.substr(0, run_id.rfind("-r")) : "";
}

}  // namespace kernel
