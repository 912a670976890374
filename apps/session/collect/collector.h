#pragma once
// Processes a run's folder after all its processes have ended, on two threads. The Collector reads the job's outputs,
// measures, stores blobs, and reports to the kernel; the bytes of jobs are untrusted and bounded. The Remover deletes
// the folders of runs whose end is in the log. After a crash, the next kernel deletes the rest (garbage.h).

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
#include "memory/workspace/evaluator_files.h"

namespace session {

class Collector {
 public:
  /// The destructor waits only for the present job; a later kernel finds the queued ones again.
  /// `redact` is applied to what jobs print, before it is stored.
  Collector(HomePaths home, const executors::Backend&, memory::Blobs&, kernel::Inbox&, const kernel::Redactor& redact);

  /// Sets how to measure the runs of a study. Call it before any of its jobs can end.
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
  /// Links an output to the place where later stages find it.
  kernel::Result<kernel::KeptOutput> keep(const std::string& path, const executors::Harvest&,
                                          const kernel::JobOutcome&) const;
  /// Keeps the stage's outputs for later stages; the run has failed if one is missing.
  void keep_for_later(const kernel::StageSpec&, const executors::Harvest&, kernel::ReportEnd&) const;
  /// Keeps what a later run continues from; the run has failed if a file is missing.
  void keep_to_continue(const kernel::Fidelity&, const executors::Harvest&, kernel::ReportEnd&) const;
  /// Keeps the entries that the set-up added at the top of its working directory.
  void keep_setup(const Known&, const executors::Harvest&, kernel::ReportEnd&) const;
  void keep_large(const std::vector<kernel::LargeOutput>&, const executors::Harvest&, kernel::ReportEnd&) const;

  const HomePaths home_;
  const executors::Backend& backend_;
  memory::Blobs& blobs_;
  kernel::Inbox& inbox_;
  const kernel::Redactor& redact_;
  std::mutex mutex_;
  // Shared, because the thread may use a spec that a later `know` replaces.
  std::map<std::string, std::shared_ptr<const Known>> known_;
  memory::EvaluatorDataWatch seals_;  ///< Used only by the thread.
  WorkThread<kernel::JobOutcome> thread_;
};

class Remover {
 public:
  /// The destructor waits until all discarded folders are deleted.
  Remover(HomePaths home, const executors::Backend&);

  /// Any thread. Deletes the folder of the run's launch, and the checkpoint of its chain if no attempt follows.
  void discard(const kernel::Study&, const kernel::Run&);

 private:
  struct Ended {
    std::string study;
    std::string launch;      ///< Empty if it was never launched.
    std::string checkpoint;  ///< Of a chain that has ended; empty if another attempt follows.
  };

  void remove(const Ended&) const;

  const HomePaths home_;
  const executors::Backend& backend_;
  WorkThread<Ended> thread_;
};

}  // namespace session
