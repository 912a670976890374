#pragma once
// After a job's process tree is dead: reads what it left, measures, stores blobs, and reports to the kernel. One thread
// of its own; jobs' bytes are data, bounded and never trusted.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "apps/session/collect/work_thread.h"
#include "apps/session/home/home.h"
#include "base/redact.h"
#include "executors/backend/backend.h"
#include "kernel/loop/inbox.h"
#include "kernel/study/state.h"
#include "memory/files/blobs.h"
#include "memory/workspace/evaluator_data.h"

namespace session {

class Collector {
 public:
  /// Its end waits for the job at hand only; what is still queued is found again by a later kernel.
  /// `redact`: of what jobs print, before it is stored.
  Collector(HomePaths home, const executors::Backend&, memory::Blobs&, kernel::Inbox&, const kernel::Redactor& redact);

  /// How to measure the runs of a study. Call before any of its jobs can end.
  void know(const std::string& study, const kernel::StudySpec&, const kernel::WorkspaceRecord&,
            const std::vector<kernel::SealedData>&);
  /// Any thread.
  void collect(const kernel::JobOutcome&);

 private:
  /// Reports to the inbox.
  void measure(const kernel::JobOutcome&);
  struct Known {
    kernel::StudySpec spec;
    kernel::WorkspaceRecord workspace;
    std::vector<kernel::SealedData> sealed;
  };
  std::shared_ptr<const Known> known(const std::string& study);
  kernel::ReportEnd report_of(const kernel::JobOutcome&, const Known&);
  /// Its outputs, linked to where later stages find them; the run failed where one is missing.
  void keep_for_later(const kernel::StageSpec&, const executors::Harvest&, kernel::ReportEnd&) const;
  /// What the set-up added at the top of its working directory.
  void keep_setup(const Known&, const executors::Harvest&, kernel::ReportEnd&) const;
  void keep_large(const std::vector<kernel::LargeOutput>&, const executors::Harvest&, kernel::ReportEnd&) const;

  const HomePaths home_;
  const executors::Backend& backend_;
  memory::Blobs& blobs_;
  kernel::Inbox& inbox_;
  const kernel::Redactor& redact_;
  std::mutex mutex_;
  // Shared: the thread measures by a spec that a later `know` may replace.
  std::map<std::string, std::shared_ptr<const Known>> known_;
  memory::EvaluatorDataWatch seals_;  ///< The thread's.
  WorkThread<kernel::JobOutcome> thread_;
};

}  // namespace session
