#pragma once
// An event store without a disk: what was appended is kept as stored bytes, and replayed from them.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/codec/codec.h"
#include "kernel/loop/event_ports.h"

namespace fakes {

class FakeEventStore : public kernel::EventStore {
 public:
  void append(const std::vector<kernel::Event>& events, const kernel::State& after) override {
    if (fails) throw std::runtime_error("the disk is full");
    // All or nothing: checked before anything is kept.
    for (const kernel::Event& event : events)
      if (!after.study(event.study)) throw std::logic_error("the state does not hold study " + event.study);
    for (const kernel::Event& event : events) {
      auto& chain = chains_[event.study];
      const std::string prev(chain.empty() ? std::string(kernel::chain_start) : chain.back().hash);
      chain.push_back(kernel::to_stored(event, prev));
      chain.back().seq = ++last_;
    }
    ++appends;
  }

  void replay(const std::string& study, const std::function<void(const kernel::Event&)>& each) override {
    const auto it = chains_.find(study);
    if (it == chains_.end()) return;
    for (const kernel::StoredEvent& event : it->second) each(event.decoded());
  }

  bool fails = false;  ///< The next append throws.
  int appends = 0;     ///< Transactions so far.

 private:
  std::map<std::string, std::vector<kernel::StoredEvent>> chains_;
  std::int64_t last_ = 0;
};

}  // namespace fakes
