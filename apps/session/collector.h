#pragma once
// After a job's process tree is dead: reads what it left, measures, stores blobs, and reports to the kernel. One thread
// of its own; jobs' bytes are data, bounded and never trusted. Also deletes run folders once their outcome is durable.

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>

#include "apps/session/home.h"
#include "kernel/inbox.h"
#include "kernel/state.h"
#include "memory/blobs.h"

namespace session {

class Collector {
 public:
  Collector(HomePaths home, memory::Blobs& blobs, kernel::Inbox& inbox);
  /// Ends after the job at hand; what is still queued is found again by a later kernel.
  ~Collector();

  /// How to measure the runs of a study. Call before any of its jobs can end.
  void know(const std::string& study, const kernel::StudySpec&);
  /// Any thread.
  void collect(const kernel::JobOutcome&);
  /// Any thread; the run's end is in the log. Removes the folders of all its launches, and the checkpoint of its chain
  /// where no attempt follows.
  void discard(const kernel::Study&, const kernel::Run&);

 private:
  struct Ended {
    std::string study;
    int number = 0;
    int chain = 0;  ///< The first attempt of a chain that is over; 0: another attempt follows.
  };
  using Task = std::variant<kernel::JobOutcome, Ended>;

  void work();
  void remove_folders(const Ended&) const;
  kernel::ReportEnd report_of(const kernel::JobOutcome&, const kernel::StudySpec&);

  const HomePaths home_;
  memory::Blobs& blobs_;
  kernel::Inbox& inbox_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  // Shared: the thread measures by a spec that a later `know` may replace.
  std::map<std::string, std::shared_ptr<const kernel::StudySpec>> specs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace session
