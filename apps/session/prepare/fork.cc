#include "apps/session/prepare/fork.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "apps/session/prepare/prior_work.h"
#include "kernel/decide/fork_maker.h"
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

/// Slots that other forks of the study, and forks of those, used on their own.
int used_by_forks(const memory::Reader& reader, const std::string& study) {
  constexpr std::size_t most = 10000;
  struct Fork {
    std::string from;
    std::int64_t seq = 0;
  };
  std::map<std::string, Fork> forks;  ///< The last one of each: those before it are of its past.
  for (const std::string& id : reader.ids())
    for (const kernel::StoredEvent& stored : reader.moments(id, 0, most, "StudyForked"))
      forks[id] = {std::get<kernel::StudyForked>(stored.decoded().body).from, stored.seq};
  const auto descends = [&](std::string id) {
    for (auto fork = forks.find(id); fork != forks.end(); fork = forks.find(id))
      if ((id = fork->second.from) == study) return true;
    return false;
  };
  int slots = 0;
  for (const auto& [id, fork] : forks) {
    if (!descends(id)) continue;
    kernel::SlotsUsed used;
    for (const char* type : {"HypothesisProposed", "ExperimentRegistered"})
      for (const kernel::StoredEvent& stored : reader.moments(id, 0, most, type))
        used.read(stored.decoded(), stored.seq > fork.seq);
    slots += used.later();
  }
  return slots;
}

}  // namespace

kernel::Result<kernel::ForkStudy> fork_of(const std::string& home, const ForkRequest& request, const std::string& id) {
  const auto refuse = [&](std::string why, std::string todo) {
    return kernel::Problem{"", 0, "study " + request.study, std::move(why), std::move(todo)};
  };
  kernel::ForkMaker maker(request.study, request.at, id);
  const memory::Reader reader(home);
  reader.events(request.study, 0, [&](const kernel::StoredEvent& stored) { maker.read(stored); });
  if (maker.empty() || request.at < 1)
    return refuse(fmt::format("has no event at or before {}", request.at), "`etude log` lists them with their `seq`");
  if (request.at > maker.last())
    return refuse(fmt::format("has no event {}: its last is {}", request.at, maker.last()), "`etude log` lists them");
  if (maker.concluded())
    return refuse(fmt::format("has concluded at event {}", request.at), "fork before its conclusion");
  if (maker.cancelled())
    return refuse(fmt::format("is being cancelled at event {}", request.at), "fork before its cancellation");
  kernel::ForkStudy fork = std::move(maker).made(request.output);
  fork.predecessors = found_since(home, fork);
  fork.slots += used_by_forks(reader, request.study);
  return fork;
}

}  // namespace session
