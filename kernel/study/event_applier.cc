#include "kernel/study/event_applier.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "kernel/domain/cells.h"
#include "kernel/domain/client_request.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/search_scores.h"

namespace kernel {

namespace {

/// The arms of a registration's hypotheses as cells of the study; each side appears once.
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

}  // namespace

Run& run_of(Study& study, int number) {
  if (number < 1 || number > static_cast<int>(study.runs.size()))
    throw std::logic_error("event for unknown run " + study.run_id(number));
  return study.runs[static_cast<std::size_t>(number) - 1];
}

Experiment& experiment_of(Study& study, const ExperimentId& id) {
  for (Experiment& e : study.experiments)
    if (e.registration.experiment == id) return e;
  throw std::logic_error("event for unknown experiment " + id);
}

int cell_index(Study& study, const Cell& cell) {
  const auto [it, added] = study.cell_numbers.try_emplace(cell, static_cast<int>(study.cells.size()));
  if (added) study.cells.push_back(cell);
  return it->second;
}

void move_to(Study& study, Run& run, RunState state) {
  --study.counted.in[static_cast<std::size_t>(run.state)];
  ++study.counted.in[static_cast<std::size_t>(state)];
  run.state = state;
}

void close_session(Study& study, std::int64_t boot_ms) {
  if (study.session_open) study.wall_closed_ms += boot_ms - study.session_start_ms;
  study.session_start_ms = boot_ms;
  study.session_open = false;
}

Study& EventApplier::study() {
  Study* known = state.study(event.study);
  if (!known) throw std::logic_error("event for unknown study " + event.study);
  return *known;
}

void EventApplier::note_origin(const std::string& of) {
  study().origins[of] = {study().events + 1, event.at.wall_ms};
}

void EventApplier::operator()(const StudyOpened& e) {
  Study s;
  s.id = e.id;
  s.spec = e.spec;
  s.text = e.text;
  s.workspace = e.workspace;
  s.scoring = e.scoring.value_or(e.workspace);
  s.set_up_from = e.set_up_from;
  s.code.versions = e.versions;
  s.environment = e.environment;
  s.data = e.data;
  s.sealed = e.sealed;
  s.sealed_manifest = e.sealed_manifest;
  s.answers = e.answers;
  s.earlier_peaks = e.peaks;
  s.jobs = e.jobs;
  s.priority = e.priority;
  s.output = e.output;
  s.reproduces = e.reproduces;
  s.reproduction = e.reproduction;
  s.request = client_request(e.request).token;
  s.predecessors = e.predecessors;
  s.test_looks.earlier = e.earlier_looks;
  s.boot_id = e.boot_id;
  s.opened_ms = event.at.wall_ms;
  s.session_start_ms = s.waiting_since_ms = event.at.boot_ms;
  if (!state.studies.emplace(e.id, std::move(s)).second) throw std::logic_error("study " + e.id + " opened twice");
}

void EventApplier::operator()(const HypothesisProposed& e) {
  study().hypotheses.push_back({e.hypothesis, e.batch, e.exploratory, "", std::nullopt});
}

void EventApplier::operator()(const ProposalsClosed& e) {
  study().proposals_closed = true;
  study().family = e.family;
}

void EventApplier::operator()(const ManipulationChecked& e) {
  study().check = e;
}

void EventApplier::operator()(const CodeCompared& e) {
  study().compared = e;
}

void EventApplier::operator()(const SampleSized& e) {
  study().sized = e;
}

void EventApplier::operator()(const ExperimentRegistered& e) {
  Study& s = study();
  for (const Hypothesis& h : e.registration.hypotheses)
    for (HypothesisRecord& record : s.hypotheses)
      if (record.hypothesis.id == h.id) record.experiment = e.registration.experiment;
  Experiment& experiment = s.experiments.emplace_back();
  experiment.registration = e.registration;
  experiment.hash = e.hash;
  experiment.registered_ms = event.at.wall_ms;
  experiment.arms = arms_of(s, e.registration);
}

void EventApplier::operator()(const SearchRegistered& e) {
  for (const Cell& cell : e.plan.registered.cells) add_range_levels(study().spec, cell);
  study().search.emplace(Search{e.plan, e.hash, event.at.wall_ms, 0, 0, 0, {}});
}

void EventApplier::operator()(const RungRanked& e) {
  if (!study().search) throw std::logic_error("a rung of a search that was not registered");
  study().search->ranked.push_back(e);
  note_origin(fmt::format("rung {}", e.rung));
}

void EventApplier::operator()(const CodePlanned& e) {
  CodeSearch& code = study().code;
  if (!e.steps.empty()) {
    code.known.clear();
    for (const CodeScore& score : code_scores(study()))
      code.known.push_back({score.id(), score.n, score.failed, score.mean});
    code.noise = noise_of_versions(study());
  }
  code.round = e.round;
  code.over = e.over;
  code.steps.insert(code.steps.end(), e.steps.begin(), e.steps.end());
}

void EventApplier::operator()(const CodeProposed& e) {
  Study& s = study();
  // Versions are in the order of their steps, not in the order of arrival.
  const auto place = [&](const CodeVersion& version) {
    return std::ranges::find(s.code.steps, version.step, &CodeStep::id);
  };
  std::vector<CodeVersion>& versions = s.code.versions;
  const auto after =
      std::ranges::find_if(versions, [&](const CodeVersion& version) { return place(version) > place(e.version); });
  const auto index = after - versions.begin();
  versions.insert(after, e.version);
  for (Factor& factor : s.spec.factors)
    if (factor.name == code_factor && !factor.level(e.version.id))
      factor.levels.insert(factor.levels.begin() + std::min<std::ptrdiff_t>(std::ssize(factor.levels), 1 + index),
                           {e.version.id, {e.version.workspace.hash.text(), std::nullopt}, {}});
}

void EventApplier::operator()(const IntegrityFound& e) {
  study().integrity.push_back(e);
}

void EventApplier::operator()(const InterimLook& e) {
  experiment_of(study(), e.experiment).going_on.push_back(e.going_on);
  conclude(e.results);
}

void EventApplier::operator()(const ExperimentAnalysed& e) {
  Experiment& experiment = experiment_of(study(), e.experiment);
  experiment.analysed = true;
  experiment.aa = e.aa;
  experiment.planted = e.planted;
  conclude(e.results);
  note_origin(e.experiment.text());
}

void EventApplier::conclude(const std::vector<HypothesisResult>& results) {
  for (const HypothesisResult& result : results)
    for (HypothesisRecord& record : study().hypotheses)
      if (record.hypothesis.id == result.id) record.result = result;
}

void EventApplier::operator()(const BatchOpened& e) {
  Study& s = study();
  s.batch.number = e.batch;
  // Approvals from before an agent opened the batch do not apply to the new hypotheses.
  for (GateRecord& record : s.gates)
    if (!is_person(event.actor) && record.decided &&
        (record.gate.on == GateOn::experiments || record.gate.on == GateOn::conclude))
      record.stale = true;
  s.batch.runs_before = static_cast<int>(s.runs.size());
  s.proposals_closed = s.asked_pilot = false;
  s.batch.sizes_before = s.all_sizes();
  s.sized.reset();
}

void EventApplier::operator()(const NodeRecorded& e) {
  study().nodes.push_back(e.node);
  study().nodes.back().time_ms = event.at.wall_ms;
  note_origin(e.node.id);
}

void EventApplier::operator()(const ClaimRecorded& e) {
  study().claims.push_back(e.claim);
}

void EventApplier::operator()(const StudyPaused& e) {
  Study& s = study();
  s.state = StudyState::paused;
  s.pause_reason = e.reason;
  s.pause_detail = e.detail;
  for (LineOfWork& line : s.thinking.lines) line.waits = {};
  // Live runs continue, so their time still counts.
  if (s.live.empty()) close_session(s, event.at.boot_ms);
}

void EventApplier::operator()(const StudyResumed& e) {
  Study& s = study();
  // After a crash the session is still open; it lasted until its last event.
  close_session(s, s.last_boot_ms);
  s.session_open = true;
  s.state = StudyState::running;
  s.pause_reason.reset();
  s.pause_detail = {};
  s.boot_id = e.boot_id;
  s.session_start_ms = s.waiting_since_ms = event.at.boot_ms;
  // Delays refer to the previous boot clock.
  s.delayed.clear();
  for (GateRecord& record : s.gates) record.waits_since = event.at.boot_ms;
  if (e.jobs > 0) s.jobs = e.jobs;
  if (e.priority) s.priority = *e.priority;
  if (e.raised.wall_s) s.spec.budget.wall_s = e.raised.wall_s;
  if (e.raised.runs) s.spec.budget.runs = e.raised.runs;
  if (e.raised.usd) s.spec.budget.usd = e.raised.usd;
  if (e.raised.tokens) s.spec.budget.tokens = e.raised.tokens;
  if (e.raised.gpu_hours) s.spec.budget.gpu_hours = e.raised.gpu_hours;
}

void EventApplier::operator()(const RunCancellationRequested& e) {
  study().to_kill.insert(e.run);
}

void EventApplier::operator()(const StudySteered& e) {
  study().steering.push_back(e.text);
  note_origin(fmt::format("message {}", study().steering.size()));
}

void EventApplier::operator()(const StudyForked& e) {
  Study& s = study();
  const int before = s.fork ? s.fork->slots : 0;
  s.fork = e;
  note_origin("fork");
  s.fork->slots += before;
  // What was proposed and not registered by then takes its slots after those that were used elsewhere.
  int slots = s.fork->slots;
  for (HypothesisRecord& record : s.hypotheses) {
    if (record.exploratory) continue;
    if (record.experiment.empty() && e.slots > 0 && slots >= s.family && s.family > 0)
      record.exploratory = true;
    else
      ++slots;
  }
  s.test_looks.inherited = own_looks(s);
  s.test_looks.elsewhere += e.looks;
  s.predecessors.insert(s.predecessors.end(), e.predecessors.begin(), e.predecessors.end());
  s.opened_ms = event.at.wall_ms;
  for (auto run = e.requeued.rbegin(); run != e.requeued.rend(); ++run) {
    move_to(s, run_of(s, *run), RunState::queued);
    run_of(s, *run).token = {};
    s.queue.push_front(*run);
  }
  s.live.clear();
  s.to_kill.clear();
  s.delayed.clear();
  s.state = StudyState::paused;
  s.pause_reason = PauseReason::fork;
  s.pause_detail = {ReasonCode::forked_from, {{"study", e.from}}};
  close_session(s, s.last_boot_ms);
}

void EventApplier::operator()(const GateOpened& e) {
  GateRecord& record = study().gates.emplace_back();
  record.gate = e.gate;
  record.opened_ms = event.at.wall_ms;
  record.waits_since = event.at.boot_ms;
}

void EventApplier::operator()(const GateDecided& e) {
  for (GateRecord& record : study().gates) {
    if (record.gate.id != e.gate) continue;
    record.decided = true;
    record.approved = e.approved;
    record.why = e.why;
    record.edited = e.edited;
    record.by = event.actor;
    note_origin("gate " + e.gate);
  }
}

void EventApplier::operator()(const StudyConcluded& e) {
  study().outcome = e.outcome;
  study().outcome_detail = e.detail;
}

void EventApplier::operator()(const PicturesDrawn& e) {
  study().pictures = e;
}

void EventApplier::operator()(const ArtifactPackaged& e) {
  study().artifact = e.path;
  study().report = e.report;
  study().sealed_head = e.head;
}

void EventApplier::operator()(const StudyEnded& e) {
  Study& s = study();
  s.state = StudyState::ended;
  s.outcome = e.outcome;
  s.outcome_detail = e.detail;
  s.ended_ms = event.at.wall_ms;
  close_session(s, event.at.boot_ms);
}

void apply(State& state, const Event& event) {
  EventApplier applier{state, event};
  std::visit(applier, event.body);
  applier.study().last_boot_ms = event.at.boot_ms;
  ++applier.study().events;
}

}  // namespace kernel
