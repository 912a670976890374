#include "apps/session/prepare/fork.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apps/session/prepare/prior_work.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/state.h"
#include "memory/store/reader.h"

namespace session {

namespace {

/// Earlier results that the past of the fork does not have, since its author may know how the original study ended.
/// Precondition: the fork's events are already those of the fork.
std::vector<kernel::Predecessor> found_since(const std::string& home, const kernel::ForkStudy& fork) {
  kernel::State state;
  for (const kernel::Event& event : fork.events) kernel::apply(state, event);
  const auto& opened = std::get<kernel::StudyOpened>(fork.events.front().body);
  const kernel::Study& past = *state.study(opened.id);
  std::vector<kernel::Predecessor> list = predecessors(home, opened);
  std::erase_if(list, [&](const kernel::Predecessor& p) {
    const kernel::HypothesisRecord* own = p.study == fork.from ? past.hypothesis(p.hypothesis) : nullptr;
    return (own && own->result) || std::ranges::any_of(past.predecessors, [&](const kernel::Predecessor& known) {
             return known.study == p.study && known.hypothesis == p.hypothesis;
           });
  });
  return list;
}

/// The hypotheses whose registration used slots of the family, for studies that share a past.
struct SlotsUsed {
  std::set<kernel::HypothesisId> exploratory, before, after;

  void read(const kernel::Event& event, bool later) {
    if (const auto* proposed = std::get_if<kernel::HypothesisProposed>(&event.body); proposed && proposed->exploratory)
      exploratory.insert(proposed->hypothesis.id);
    const auto* registered = std::get_if<kernel::ExperimentRegistered>(&event.body);
    if (!registered) return;
    for (const kernel::Hypothesis& h : registered->registration.hypotheses)
      if (!exploratory.contains(h.id)) (later ? after : before).insert(h.id);
  }
  int later() const {
    return static_cast<int>(std::ranges::count_if(after, [&](const auto& id) { return !before.contains(id); }));
  }
};

/// Slots that other forks of the study used on their own.
int used_by_forks(const memory::Reader& reader, const std::string& study) {
  constexpr std::size_t most = 10000;
  int slots = 0;
  for (const std::string& id : reader.ids()) {
    std::int64_t own_from = 0;
    for (const kernel::StoredEvent& stored : reader.moments(id, 0, most, "StudyForked"))
      if (std::get<kernel::StudyForked>(stored.decoded().body).from == study) own_from = stored.seq;
    if (own_from == 0) continue;
    SlotsUsed used;
    for (const char* type : {"HypothesisProposed", "ExperimentRegistered"})
      for (const kernel::StoredEvent& stored : reader.moments(id, 0, most, type))
        used.read(stored.decoded(), stored.seq > own_from);
    slots += used.later();
  }
  return slots;
}

}  // namespace

kernel::Result<kernel::ForkStudy> fork_of(const std::string& home, const ForkRequest& request, const std::string& id) {
  const auto refuse = [&](std::string why, std::string todo) {
    return kernel::Problem{"", 0, "study " + request.study, std::move(why), std::move(todo)};
  };
  kernel::ForkStudy fork;
  fork.from = request.study;
  std::int64_t last = 0;
  bool concluded = false, over = false;
  SlotsUsed used;
  kernel::StoredEvent cut;
  const memory::Reader reader(home);
  reader.events(request.study, 0, [&](const kernel::StoredEvent& stored) {
    last = stored.seq;
    // Events of one decision share one time. A fork takes all of them or none.
    over = over || (stored.seq > request.at && (stored.time != cut.time || stored.boot != cut.boot));
    if (over) {
      const kernel::Event event = stored.decoded();
      fork.looks += kernel::looks_at_test(event) ? 1 : 0;
      if (const auto* forked = std::get_if<kernel::StudyForked>(&event.body)) fork.looks += forked->looks;
      used.read(event, true);
      return;
    }
    concluded = concluded || stored.is<kernel::StudyConcluded>();
    kernel::Event event{id, stored.actor, {stored.time, stored.boot}, stored.decoded().body};
    // The fork has its own gates; decisions on the original's gates do not apply to it.
    const auto own = [&](std::string& gate) { gate = id + gate.substr(gate.rfind("-g")); };
    if (auto* gate = std::get_if<kernel::GateOpened>(&event.body)) own(gate->gate.id);
    if (auto* gate = std::get_if<kernel::GateDecided>(&event.body)) own(gate->gate);
    used.read(event, false);
    fork.events.push_back(std::move(event));
    cut = stored;
  });
  if (fork.events.empty() || request.at < 1)
    return refuse(fmt::format("has no event at or before {}", request.at), "`etude log` lists them with their `seq`");
  if (request.at > last)
    return refuse(fmt::format("has no event {}: its last is {}", request.at, last), "`etude log` lists them");
  if (concluded) return refuse(fmt::format("has concluded at event {}", request.at), "fork before its conclusion");
  fork.seq = cut.seq;
  fork.head = cut.hash;
  auto& opened = std::get<kernel::StudyOpened>(fork.events.front().body);
  opened.id = id;
  opened.output = request.output.empty() ? opened.output + "-" + id : request.output;
  opened.request.clear();
  fork.predecessors = found_since(home, fork);
  fork.slots = used.later() + used_by_forks(reader, request.study);
  return fork;
}

}  // namespace session
