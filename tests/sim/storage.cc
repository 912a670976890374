#include "tests/sim/storage.h"

#include <algorithm>
#include <utility>

#include "kernel/runs/run_keys.h"

namespace sim {

void MemoryStorage::append(const std::vector<kernel::Event>& events, const kernel::State& after) {
  const bool waits = !std::ranges::all_of(events, kernel::only_reports);
  if (waits) not_flushed_.clear();
  for (const kernel::Event& event : events) {
    auto& chain = chains_[event.study];
    chain.push_back(
        kernel::to_stored(event, chain.empty() ? std::string(kernel::chain_start) : std::string(chain.back().hash)));
    chain.back().seq = ++last_;
    if (!waits) not_flushed_.push_back(event.study);
    const auto* ended = std::get_if<kernel::RunEnded>(&event.body);
    const kernel::Study& study = *after.study(event.study);
    if (!ended) continue;
    const kernel::Run& run = *study.run(ended->run);
    if (const auto record = kernel::to_remember(study, run)) remembered_[kernel::cache_key(study, run)] = *record;
  }
}

void MemoryStorage::replay(const std::string& study, const std::function<void(const kernel::Event&)>& each) {
  for (const kernel::StoredEvent& event : chains_[study]) each(event.decoded());
}

bool MemoryStorage::crash(bool power) {
  if (power)
    for (const std::string& study : not_flushed_) chains_[study].pop_back();
  not_flushed_.clear();
  return power;
}

kernel::State MemoryStorage::load_active() {
  kernel::State state;
  for (const auto& [id, chain] : chains_)
    for (const kernel::StoredEvent& event : chain) kernel::apply(state, event.decoded());
  std::erase_if(state.studies, [](const auto& one) { return one.second.state == kernel::StudyState::ended; });
  return state;
}

std::vector<std::string> MemoryStorage::studies() {
  std::vector<std::string> ids;
  for (const auto& [id, chain] : chains_)
    if (!chain.empty()) ids.push_back(id);
  return ids;
}

std::optional<kernel::RunEnded> MemoryStorage::remembered(const std::string& key) {
  const auto known = remembered_.find(key);
  if (known == remembered_.end()) return std::nullopt;
  // The store keeps it as bytes.
  return std::get<kernel::RunEnded>(
      kernel::decode("RunEnded", kernel::event_version, kernel::encode(kernel::RunEnded(known->second))));
}

}  // namespace sim
