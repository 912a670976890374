#pragma once
// One assembled kernel over one home: lock, store, blobs, executor, agents, packager and the loop that decides. A front
// door opens it and runs it on its main thread; studies are started and commands sent from any thread.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "apps/session/prepare/amend.h"
#include "apps/session/prepare/captured_work.h"
#include "apps/session/prepare/fork.h"
#include "apps/session/prepare/import.h"
#include "apps/session/prepare/start_request.h"
#include "apps/session/watch/feed.h"
#include "base/redact.h"
#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/records.h"
#include "kernel/loop/admission.h"
#include "kernel/loop/inbox.h"
#include "kernel/loop/observer.h"
#include "memory/store/imports.h"

namespace session {

struct ResumeRequest {
  std::string study;
  int jobs = 0;
  kernel::Budget raised;
};

struct SessionParts;

class Session {
 public:
  /// Takes the home's lock. Null where another kernel has it. The watcher is told of events on the thread that calls
  /// `run`. `config`: the configuration that was named, which is read when a model is needed; empty: the usual one.
  static kernel::Result<std::unique_ptr<Session>> open(const std::string& home, kernel::Observer& watcher,
                                                       const std::string& config = "");
  ~Session();

  /// Any thread. Freezes workspace, data and environment, then asks the kernel to open the study; gives its id. Nothing
  /// is created on a Problem.
  kernel::Result<std::string> start(const StartRequest&, kernel::Answer = {});
  /// Any thread. Opens a study with the past of another one, paused; gives its id.
  kernel::Result<std::string> fork(const ForkRequest&, kernel::Answer = {});
  /// Any thread. Takes an artifact into the memory; durable when it returns.
  kernel::Result<Import> import(const ImportRequest&);
  /// Any thread. Freezes the study's code as it is now, and tells the kernel.
  std::optional<kernel::Problem> amend(const AmendRequest&, kernel::Answer = {});
  /// Any thread. Goes on with a study of the store, whoever worked on it before. A Problem: it cannot be taken up.
  std::optional<kernel::Problem> resume(const ResumeRequest&, kernel::Answer = {});
  /// Any thread. A person's word on a study of the store. One that nobody has in hand is taken up to be cancelled, or
  /// by who was interrupted and waits for what runs, and goes on first if a crash stopped it; anything else is only
  /// recorded. A Problem: it cannot be taken up.
  std::optional<kernel::Problem> tell(kernel::Command, kernel::Answer = {});
  /// Any thread. Begins a study that captures what is done in a folder; gives its id.
  kernel::Result<std::string> capture(const CaptureRequest&, kernel::Answer = {});
  /// Any thread. Freezes the code as it is now, and runs a person's command. A study that is not captured has to be in
  /// hand: nobody's study goes on for that. A Problem: it cannot be run.
  std::optional<kernel::Problem> exec(const ExecRequest&, kernel::Answer = {});
  /// Any thread. For studies that the kernel has in hand.
  void send(kernel::Command, kernel::Answer = {});

  /// Main thread, before `run`: a study whose rest `run` waits for.
  void attend(const std::string& study);
  /// Main thread. Until every attended study is at rest (ended, or paused with nothing running), or told to leave,
  /// which false says.
  bool run();
  /// Main thread, instead of `run`: whatever anyone asks for, until told to leave, or to end in order and every study
  /// in hand is at rest.
  void serve();
  /// Main thread, after `run`.
  const kernel::Study* study(const std::string& id) const;

  /// Any thread. First: the attended studies, or, while serving, those in hand start nothing new; again: leave.
  void interrupt();
  /// Any thread. Jobs go on under their supervisors.
  void leave();

  Feed& feed();
  const HomePaths& home() const;
  /// Any thread.
  const executors::Backend& backend() const;
  /// Of the keys that the configuration names.
  const kernel::Redactor& redactor() const;
  /// Any thread. What runs may be given.
  const kernel::Machine& machine() const;
  /// Any thread. How long what the kernel is told waits for it.
  kernel::Delays delays() const;
  /// Any thread. The studies that were opened or taken up here.
  std::set<std::string> in_hand() const;

 private:
  std::optional<kernel::Problem> take_up(kernel::Command, kernel::Answer);
  kernel::Result<memory::TakenIn> take_in(const kernel::ImportedArtifact&);
  explicit Session(std::unique_ptr<SessionParts> parts);
  std::unique_ptr<SessionParts> parts_;
};

}  // namespace session
