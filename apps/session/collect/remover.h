#pragma once
// Deletes the folders of runs whose end is in the log, on a thread of its own, because deleting a large workspace takes
// long. The next kernel deletes what a killed one left (garbage.h).

#include <string>

#include "apps/session/collect/work_thread.h"
#include "apps/session/home/home.h"
#include "executors/backend/backend.h"
#include "kernel/study/state.h"

namespace session {

class Remover {
 public:
  /// Its end waits until everything discarded is gone.
  Remover(HomePaths home, const executors::Backend&);

  /// Any thread. Deletes the folders of all launches of the run, and the checkpoint of its chain if no attempt follows.
  void discard(const kernel::Study&, const kernel::Run&);

 private:
  struct Ended {
    std::string study;
    int number = 0;
    int chain = 0;  ///< The first attempt of a chain that is over; 0 if another attempt follows.
  };

  void remove(const Ended&) const;

  const HomePaths home_;
  const executors::Backend& backend_;
  WorkThread<Ended> thread_;
};

}  // namespace session
