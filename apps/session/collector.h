#pragma once
// After a job's process tree is dead: reads what it left, measures, stores blobs, and reports to the kernel. One thread
// of its own; jobs' bytes are data, bounded and never trusted.

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

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

 private:
  void work();
  kernel::ReportEnd report_of(const kernel::JobOutcome&, const kernel::StudySpec&);

  const HomePaths home_;
  memory::Blobs& blobs_;
  kernel::Inbox& inbox_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<kernel::JobOutcome> outcomes_;
  // Shared: the thread measures by a spec that a later `know` may replace.
  std::map<std::string, std::shared_ptr<const kernel::StudySpec>> specs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace session
