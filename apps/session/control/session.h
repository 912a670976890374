#pragma once
// One assembled kernel for one home: lock, store, blobs, executor, agents, packager and loop. A program opens it and
// runs it on its main thread; studies are started and commands sent from any thread.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/session/home/garbage.h"
#include "apps/session/home/home.h"
#include "apps/session/notify/notifier.h"
#include "apps/session/prepare/captured_work.h"
#include "apps/session/prepare/fork.h"
#include "apps/session/prepare/import.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/watch/feed.h"
#include "base/redact.h"
#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/records.h"
#include "kernel/domain/tagging.h"
#include "kernel/loop/admission.h"
#include "kernel/loop/event_ports.h"
#include "kernel/loop/inbox.h"
#include "memory/store/imports.h"

namespace session {

/// A file or folder that was deleted.
struct Deleted {
  Garbage garbage;
  std::int64_t bytes = 0;
};

struct ResumeRequest {
  std::string study;
  int jobs = 0;
  kernel::Budget raised;
  std::optional<int> priority{};
};

struct SessionGround;
struct SessionParts;

class Session {
 public:
  /// Takes the home's lock; null if another kernel has it. The watcher gets events on the thread that calls `run`. The
  /// session borrows watcher and backend.
  /// `config`: the path of --config, read when a model is needed; empty for the default. `notifier`: gets the events of
  /// all studies and is started for it; borrowed. Null: nobody is told of them.
  static kernel::Result<std::unique_ptr<Session>> open(const std::string& home, kernel::Observer& watcher,
                                                       const executors::Backend&, const std::string& config = "",
                                                       Notifier* notifier = nullptr);
  /// A session without kernel and lock, to read a home that another process may own. Only `home`, `backend`, `feed`
  /// and `redactor` may be used; nothing arrives in its feed.
  static std::unique_ptr<Session> for_reading(const std::string& home, const executors::Backend&,
                                              const std::string& config = "");
  ~Session();

  /// Any thread. Freezes workspace, data and environment, then asks the kernel to open the study; returns its id. A
  /// problem leaves no study.
  kernel::Result<std::string> start(const StartRequest&, kernel::Answer = {});
  /// Any thread. Opens a paused study with the past of another one; returns its id.
  kernel::Result<std::string> fork(const ForkRequest&, kernel::Answer = {});
  /// Any thread. Imports an artifact; durable when it returns.
  kernel::Result<Import> import(const ImportRequest&);
  /// Any thread. Changes the tags of a study, also of one that has ended; durable when it returns. A problem if the
  /// change is refused.
  std::optional<kernel::Problem> tag(const std::string& study, const kernel::Tagging&);
  /// Any thread. Freezes the study's present code, and sends it to the kernel.
  std::optional<kernel::Problem> amend(const AmendRequest&, kernel::Answer = {});
  /// Any thread. Resumes a study of the store, whichever process worked on it before. A problem if it cannot be
  /// resumed.
  std::optional<kernel::Problem> resume(const ResumeRequest&, kernel::Answer = {});
  /// Any thread. A person's command for a study of the store. If no kernel works on the study, most commands are only
  /// recorded. A cancellation takes the study up first, and so does a process that waits for running jobs after an
  /// interrupt. A problem if the study cannot be taken up.
  std::optional<kernel::Problem> tell(kernel::Command, kernel::Answer = {});
  /// Any thread. Opens a study that captures what is done in a folder; returns its id.
  kernel::Result<std::string> capture(const CaptureRequest&, kernel::Answer = {});
  /// Any thread. Freezes the present code, and runs a person's command. A study that is not a capture must be one that
  /// this kernel works on. A problem if it cannot be run.
  std::optional<kernel::Problem> exec(const ExecRequest&, kernel::Answer = {});
  /// Any thread. Deletes what gc may delete. A problem, which is of the machine if a later try may succeed, unless
  /// every study that this kernel has worked on has ended, and nothing else writes to the home. Until it returns,
  /// functions that may write return a problem. `goes_on`: asked before each file.
  kernel::Result<std::vector<Deleted>> delete_garbage(const std::function<bool()>& goes_on);
  /// Any thread. For studies that this kernel works on.
  void send(kernel::Command, kernel::Answer = {});

  /// Main thread, before `run`: makes `run` wait until this study is at rest.
  void wait_for(const std::string& study);
  /// Main thread. Runs until every awaited study is at rest (ended, or paused with nothing running). Returns false if
  /// it was told to leave before.
  bool run();
  /// Main thread, instead of `run`: serves requests until told to leave, or until told to end and every study is at
  /// rest.
  void serve();
  /// Main thread, after `run`.
  const kernel::Study* study(const std::string& id) const;

  /// Any thread. The first call stops new runs of the awaited studies or, while serving, of all; the second one
  /// leaves.
  void interrupt();
  /// Any thread. Leaves; jobs continue under their supervisors.
  void leave();

  Feed& feed();
  const HomePaths& home() const;
  /// Any thread.
  const executors::Backend& backend() const;
  /// The path of --config; empty for the default.
  const std::string& config() const;
  /// Removes the keys that the configuration names.
  const kernel::Redactor& redactor() const;
  /// Any thread. The resources that runs may get.
  const kernel::Machine& machine() const;
  /// Any thread. Why a study's agents cannot work; none if they can.
  std::optional<kernel::Problem> missing_models(const kernel::StudySpec&);
  /// Any thread. How long messages to the kernel wait.
  kernel::Delays delays() const;
  /// Any thread. What this kernel counts, in Prometheus' text format.
  std::string exposition() const;
  /// Any thread. The studies that this kernel opened or resumed.
  std::set<std::string> in_hand() const;

 private:
  /// What the public functions of these names do, while nothing is deleted.
  kernel::Result<std::string> start_now(const StartRequest&, kernel::Answer);
  std::optional<kernel::Problem> tell_now(kernel::Command, kernel::Answer);
  /// Opens the study and prepares for its runs; returns its id.
  std::string begin_study(kernel::StudyOpened, kernel::Answer);
  kernel::Result<memory::TakenIn> record_import(const kernel::ImportedArtifact&);
  Session(std::unique_ptr<SessionGround> ground, SessionParts* parts);
  const std::unique_ptr<SessionGround> ground_;
  SessionParts* const parts_;  ///< The same object; null if the session only reads.
};

}  // namespace session
