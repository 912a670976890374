#include "apps/cli/work/study_follower.h"

namespace cli {

void StudyFollower::catch_up(kernel::Observer* watcher) {
  reader_.events(study_, last_, [&](const kernel::StoredEvent& stored) {
    const kernel::Event event = stored.decoded();
    kernel::apply(state_, event);
    last_ = stored.seq;
    if (watcher) watcher->committed(event, state_);
  });
}

bool StudyFollower::at_rest() const {
  const kernel::Study* known = study();
  return known && known->at_rest();
}

}  // namespace cli
