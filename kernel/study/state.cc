#include "kernel/study/state.h"

#include <algorithm>
#include <charconv>

#include "kernel/domain/cells.h"

namespace kernel {

Study* State::study(const std::string& id) {
  const auto it = studies.find(id);
  return it == studies.end() ? nullptr : &it->second;
}

const Study* State::study(const std::string& id) const {
  return const_cast<State*>(this)->study(id);
}

Phase Study::phase() const {
  if (state == StudyState::ended) return Phase::done;
  if (outcome) return Phase::packaging;
  if (cancelling) return Phase::cancelling;
  if (spec.captured()) return Phase::capturing;
  if (spec.setup && !environment.setup) return Phase::preparing;
  if (spec.kind != StudyKind::test) {
    if (!check) return Phase::checking;
    if (!search || !search->done()) return Phase::searching;
  }
  if (!proposals_closed) return Phase::proposing;
  if (!check || comparison_due()) return Phase::checking;
  const bool registered = std::ranges::any_of(
      experiments, [&](const Experiment& e) { return e.registration.batch == batch.number && !e.amended; });
  if (!registered && !open_batch().empty()) return sized ? Phase::registering : Phase::sizing;
  for (const Experiment& e : experiments) {
    if (e.amended) continue;
    if (e.pending > 0) return Phase::measuring;
    // A warm-up run may end last. Its end must still be recorded, so the study waits for it.
    const bool waits = !live.empty() || !queue.empty() || !blocked.empty();
    if (!e.analysed && waits && spec.design.warmup_runs > 0) return Phase::measuring;
    if (!e.analysed) return Phase::analysing;
  }
  // A run that a person started by hand must end within the study.
  const auto by_hand = [&](int number) {
    const ScratchOrder* order = order_of(*run(number));
    return order && order->by_hand();
  };
  if (!thinking.orders.empty() && (std::ranges::any_of(live, by_hand) || std::ranges::any_of(queue, by_hand)))
    return Phase::measuring;
  const bool waits =
      !to_kill.empty() || (open_batch().empty() && (!live.empty() || !queue.empty() || !blocked.empty()));
  return waits ? Phase::measuring : Phase::concluding;
}

bool Study::comparison_due() const {
  const bool passed = check && std::ranges::none_of(check->findings, &CheckFinding::serious);
  return passed && !compared && amendment() && spec.kind == StudyKind::test;
}

const CodeAmendment* StudyTerms::amendment() const {
  const bool present = !amendments.empty() && !workspace.by.empty() && amendments.back().amended == workspace.hash;
  return present ? &amendments.back() : nullptr;
}

const Run* RunBoard::run(int number) const {
  return number >= 1 && number <= static_cast<int>(runs.size()) ? &runs[static_cast<std::size_t>(number) - 1] : nullptr;
}

const Run& RunBoard::latest(const Run& of) const {
  const Run* newest = &of;
  while (const Run* next = run(newest->retried_as)) newest = next;
  return *newest;
}

const std::vector<int>& RunBoard::dependants(int number) const {
  static const std::vector<int> none;
  const auto it = waiting_for.find(number);
  return it == waiting_for.end() ? none : it->second;
}

const HypothesisRecord* Hypotheses::hypothesis(const HypothesisId& id) const {
  for (const HypothesisRecord& record : hypotheses)
    if (record.hypothesis.id == id) return &record;
  return nullptr;
}

const Experiment* Experiments::experiment(const ExperimentId& id) const {
  for (const Experiment& e : experiments)
    if (e.registration.experiment == id) return &e;
  return nullptr;
}

std::set<std::string> Study::workspaces() const {
  std::set<std::string> hashes{workspace.hash.text()};
  if (const CodeAmendment* change = amendment()) hashes.insert(change->original.text());
  if (set_up_from) hashes.insert(set_up_from->hash.text());
  for (const auto& [run, order] : thinking.orders)
    if (order.by_hand()) hashes.insert(order.workspace.hash.text());
  for (const Experiment& e : experiments) {
    hashes.insert(e.registration.workspace.text());
    if (const auto& terms = e.registration.terms; terms && terms->evaluator && !terms->evaluator->workspace.empty())
      hashes.insert(terms->evaluator->workspace.text());
    for (const Cell& cell : e.registration.cells) hashes.insert(workspace_of(cell).hash.text());
  }
  return hashes;
}

std::vector<SizeRecord> Study::all_sizes() const {
  std::vector<SizeRecord> sizes = batch.sizes_before;
  if (sized) sizes.insert(sizes.end(), sized->sizes.begin(), sized->sizes.end());
  return sizes;
}

std::vector<const HypothesisRecord*> Hypotheses::open_batch() const {
  std::vector<const HypothesisRecord*> open;
  for (const HypothesisRecord& record : hypotheses)
    if (record.batch == batch.number && record.withdrawn.empty()) open.push_back(&record);
  return open;
}

const GateRecord* Journal::waiting_gate() const {
  for (const GateRecord& record : gates)
    if (!record.decided && record.gate.call == 0) return &record;
  return nullptr;
}

const GateRecord* Journal::gate_of(int call, const std::string& tool_call) const {
  for (const GateRecord& record : gates)
    if (record.gate.call == call && record.gate.tool_call == tool_call) return &record;
  return nullptr;
}

const ScratchOrder* Study::order_of(const Run& of) const {
  if (of.purpose != Purpose::scratch && of.purpose != Purpose::comparison) return nullptr;
  const auto known = thinking.orders.find(first_attempt(*this, of));
  return known == thinking.orders.end() ? nullptr : &known->second;
}

bool Study::rests(const LineOfWork& line) const {
  const ModelCall* call = thinking.call(line.last_call);
  if (line.ended || !call || call->state != CallState::answered) return false;
  const auto waits = [&](const GateRecord& record) { return record.gate.call == call->number && !record.decided; };
  if (std::ranges::any_of(gates, waits)) return true;
  return std::ranges::any_of(thinking.orders, [&](const auto& entry) {
    return entry.second.call == call->number && !latest(*run(entry.first)).ended();
  });
}

const WorkspaceRecord& StudyTerms::workspace_of(const Cell& cell) const {
  if (!spec.code) return workspace;
  const auto version = cell.find(code_factor);
  const CodeVersion* own = version == cell.end() ? nullptr : code.version(version->second);
  return own ? own->workspace : workspace;
}

const Resources& Study::resources_of(const Run& of) const {
  const ScratchOrder* order = order_of(of);
  return order ? order->resources : spec.resources_of(of.stage);
}

double WallClock::wall_spent_s() const {
  const std::int64_t open = session_open ? last_boot_ms - session_start_ms : 0;
  return static_cast<double>(wall_closed_ms + open) / 1000.0;
}

bool needs_met(const RunBoard& study, const Run& run) {
  return std::ranges::all_of(run.needs,
                             [&](int need) { return study.latest(*study.run(need)).state == RunState::succeeded; });
}

bool concerns(const RunBoard& study, const Arm& arm, const Run& run) {
  if (run.stage.empty()) return std::ranges::find(arm.cells, run.cell) != arm.cells.end();
  const Cell& part = study.cells[static_cast<std::size_t>(run.cell)];
  return std::ranges::any_of(arm.cells,
                             [&](int cell) { return matches(study.cells[static_cast<std::size_t>(cell)], part); });
}

int first_attempt(const RunBoard& study, const Run& run) {
  const Run* first = &run;
  while (const Run* earlier = study.run(first->retry_of)) first = earlier;
  return first->number;
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
