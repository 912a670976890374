#pragma once
// One assembled kernel over one home: lock, store, blobs, executor, agents, packager and the loop that decides. The
// front doors open it, start or resume studies, and run it on their main thread until the studies are at rest.

#include <memory>
#include <string>
#include <vector>

#include "apps/session/home.h"
#include "kernel/observer.h"
#include "kernel/result.h"
#include "kernel/study_spec.h"

namespace session {

/// A study to start: what was parsed, and what the caller chose.
struct StartRequest {
  kernel::StudySpec spec;
  std::string text;    ///< The study file's bytes.
  int jobs = 0;        ///< 0: as many as the machine's cores carry.
  std::string output;  ///< Absolute folder for the artifact.
  std::string reproduces;
};

struct ResumeRequest {
  std::string study;  ///< Empty: every study that a crash or an interrupt stopped.
  int jobs = 0;
  kernel::Budget raised;
};

class Session {
 public:
  /// Takes the home's lock and loads what is open. The watcher is told of events on the thread that calls `run`.
  static kernel::Result<std::unique_ptr<Session>> open(const std::string& home, kernel::Observer& watcher);
  ~Session();

  /// Freezes workspace, data and environment, then opens the study; gives its id. Nothing is created on a Problem.
  kernel::Result<std::string> start(const StartRequest&);
  /// Gives the ids that will go on.
  kernel::Result<std::vector<std::string>> resume(const ResumeRequest&);
  /// Until every study named so far is paused or ended, or a signal says to leave. False: told to leave.
  bool run();

  const kernel::Study* study(const std::string& id) const;
  /// Any thread. First: drain; again: leave.
  void interrupt();
  void leave();

 private:
  struct Parts;
  explicit Session(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// The artifact's folder for a study file: `<stem>-ara` beside it.
std::string default_output(const std::string& study_file);
/// As many jobs as the cores carry at the study's cpus each.
int default_jobs(const kernel::StudySpec&);

}  // namespace session
