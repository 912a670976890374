#include "tests/sim/prior_work.h"

#include <algorithm>
#include <utility>

#include "kernel/decide/fork_maker.h"
#include "kernel/design/design.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/study/evaluator_rules.h"
#include "tests/sim/core.h"

namespace sim {

using kernel::Study;

namespace {

bool same(const kernel::Predecessor& a, const kernel::Predecessor& b) {
  return a.study == b.study && a.hypothesis == b.hypothesis && a.contrast == b.contrast && a.verdict == b.verdict &&
         a.other_code == b.other_code;
}

bool same(const kernel::EarlierLooks& a, const kernel::EarlierLooks& b) {
  return a.study == b.study && a.looks == b.looks;
}

template <typename List>
void compare(const std::string& study, const char* what, const List& known, const std::optional<List>& stored) {
  const auto equal = [](const auto& a, const auto& b) { return same(a, b); };
  if (stored && !std::ranges::equal(known, *stored, equal))
    broken("what other studies found is known", "{} {} for {}, of {} there are", stored->size(), what, study,
           known.size());
}

}  // namespace

bool descends(const kernel::State& state, const Study& study, const std::string& from) {
  for (const Study* at = &study; at && at->fork; at = state.study(at->fork->from))
    if (at->fork->from == from) return true;
  return false;
}

std::vector<std::string> contrasts_of(const kernel::StudySpec& spec) {
  std::vector<std::string> contrasts;
  if (spec.captured()) return contrasts;
  for (const kernel::Hypothesis& h : spec.hypotheses.empty() ? kernel::derived_hypotheses(spec) : spec.hypotheses) {
    contrasts.push_back(kernel::contrast_key(h));
    if (std::string runs = kernel::runs_key(spec, h); !runs.empty()) contrasts.push_back(std::move(runs));
  }
  return contrasts;
}

std::vector<kernel::Predecessor> known_results(const kernel::State& state, Storage& storage,
                                               const kernel::StudyOpened& opened) {
  std::vector<kernel::Predecessor> known;
  const std::string kin = kernel::command_key(opened.spec);
  const std::string here = kernel::context_key(opened.spec, opened.workspace, opened.data);
  const std::vector<std::string> contrasts = contrasts_of(opened.spec);
  const auto sought = [&](const std::string& key) { return std::ranges::count(contrasts, key) > 0; };
  for (const auto& [id, study] : state.studies)
    for (const kernel::HypothesisRecord& record : study.hypotheses) {
      if (!record.result) continue;
      const std::string contrast = kernel::contrast_key(record.hypothesis);
      const std::string runs = kernel::runs_key(study.spec, record.hypothesis);
      if (kernel::command_key(study.spec) != kin && !sought(contrast) && !sought(runs)) continue;
      known.push_back({id, record.hypothesis.id, contrast, record.result->verdict, "as it was said",
                       kernel::context_key(study.spec, study.workspace, study.data) != here, runs});
    }
  compare(opened.id, "results", known, storage.judged(opened));
  return known;
}

std::vector<kernel::EarlierLooks> known_looks(const kernel::State& state, Storage& storage,
                                              const std::vector<kernel::SealedData>& sealed) {
  std::vector<kernel::EarlierLooks> known;
  const std::string data = kernel::test_data_key(sealed);
  if (data.empty()) return known;
  for (const auto& [id, study] : state.studies)
    if (const int looks = kernel::own_looks(study) - study.test_looks.inherited;
        looks > 0 && kernel::test_data_key(study.sealed) == data)
      known.push_back({id, looks});
  compare("a new study", "looks", known, storage.looks_at(data));
  return known;
}

std::vector<kernel::Predecessor> found_since(const kernel::State& state, Storage& storage,
                                             const kernel::ForkStudy& fork) {
  kernel::State past;
  for (const kernel::Event& event : fork.events) kernel::apply(past, event);
  const auto& opened = std::get<kernel::StudyOpened>(fork.events.front().body);
  const Study& own = *past.study(opened.id);
  std::vector<kernel::Predecessor> list = known_results(state, storage, opened);
  std::erase_if(list, [&](const kernel::Predecessor& p) {
    const kernel::HypothesisRecord* judged = p.study == fork.from ? own.hypothesis(p.hypothesis) : nullptr;
    return (judged && judged->result) || std::ranges::any_of(own.predecessors, [&](const kernel::Predecessor& known) {
             return known.study == p.study && known.hypothesis == p.hypothesis;
           });
  });
  return list;
}

int slots_of_forks(const kernel::State& state, Storage& storage, const std::string& study) {
  int slots = 0;
  for (const auto& [id, other] : state.studies) {
    if (!descends(state, other, study)) continue;
    const std::vector<kernel::StoredEvent> chain = storage.chain(id);
    // Forks before its own are of its past.
    const auto own = std::find_if(chain.rbegin(), chain.rend(),
                                  [](const kernel::StoredEvent& event) { return event.is<kernel::StudyForked>(); });
    kernel::SlotsUsed used;
    for (const kernel::StoredEvent& stored : chain) used.read(stored.decoded(), stored.seq > own->seq);
    slots += used.later();
  }
  return slots;
}

}  // namespace sim
