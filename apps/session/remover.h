#pragma once
// Deletes the folders of runs whose end is in the log, on a thread of its own: a large workspace takes long to delete,
// and nobody should wait for it. What a killed kernel did not get to is swept by the next (leftovers.h).

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "apps/session/home.h"
#include "kernel/state.h"

namespace session {

class Remover {
 public:
  explicit Remover(HomePaths home);
  /// Ends when everything discarded is gone.
  ~Remover();

  /// Any thread. Removes the folders of all launches of the run, and the checkpoint of its chain where no attempt
  /// follows.
  void discard(const kernel::Study&, const kernel::Run&);

 private:
  struct Ended {
    std::string study;
    int number = 0;
    int chain = 0;  ///< The first attempt of a chain that is over; 0: another attempt follows.
  };

  void work();
  void remove(const Ended&) const;

  const HomePaths home_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Ended> ended_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace session
