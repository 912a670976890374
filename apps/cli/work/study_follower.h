#pragma once
// One study, folded from the store as it goes on, for clients of the home's owner. One thread.

#include <cstdint>
#include <string>

#include "kernel/loop/event_ports.h"
#include "memory/store/reader.h"

namespace cli {

class StudyFollower {
 public:
  StudyFollower(const std::string& home, std::string study) : reader_(home), study_(std::move(study)) {}

  /// Folds new events; passes them to the watcher, if there is one.
  void catch_up(kernel::Observer* watcher) {
    reader_.events(study_, last_, [&](const kernel::StoredEvent& stored) {
      const kernel::Event event = stored.decoded();
      kernel::apply(state_, event);
      last_ = stored.seq;
      if (watcher) watcher->committed(event, state_);
    });
  }
  /// Whether it has ended, or is paused with nothing running.
  bool at_rest() const { return study() && study()->at_rest(); }
  const kernel::Study* study() const { return state_.study(study_); }
  std::int64_t last() const { return last_; }

 private:
  memory::Reader reader_;
  const std::string study_;
  kernel::State state_;
  std::int64_t last_ = 0;
};

}  // namespace cli
