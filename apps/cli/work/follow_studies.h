#pragma once
// Follows studies until they are at rest: as the home's owner if there is none, else as a client of the owner, whose
// place it takes when the owner leaves. Signals, live view and exit code are the same in both cases.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/terminal/command_context.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/views/live_view.h"
#include "apps/server/protocol/kernel_client.h"
#include "apps/session/control/session.h"
#include "apps/session/notify/notifier.h"
#include "kernel/loop/event_ports.h"
#include "memory/store/reader.h"

namespace cli {

/// One study to follow: a new one, or one of the store.
struct FollowRequest {
  std::optional<session::StartRequest> start;
  session::ResumeRequest resume;  ///< Used if there is nothing to start.
  bool cancel = false;            ///< Resumes the study only to cancel it, for this reason.
  std::string why;
};

/// Tells the receivers of the configuration; the view shows what fails. To be finished after the studies are shown.
session::Notifier notifier_of(const Context&, LiveView&);

/// The final states of the studies, in the order of the requests. A problem if one could not be started or resumed.
kernel::Result<std::vector<kernel::Study>> follow_studies(const Context&, LiveView&, session::Notifier&,
                                                          std::vector<FollowRequest>, Hangup = Hangup::leaves);

/// One study, folded from the store as it goes on. One thread.
class StudyFollower {
 public:
  StudyFollower(const std::string& home, std::string study) : reader_(home), study_(std::move(study)) {}

  /// Folds new events; passes them to the watcher, if there is one.
  void catch_up(kernel::Observer* watcher) {
    reader_.events(study_, last_, [&](const kernel::StoredEvent& stored) {
      const kernel::Event event = stored.decoded();
      kernel::apply(state_, event);
      last_ = stored.seq;
      if (watcher) watcher->committed(event, state_);
    });
  }
  /// Whether it has ended, or is paused with nothing running.
  bool at_rest() const { return study() && study()->at_rest(); }
  const kernel::Study* study() const { return state_.study(study_); }
  std::int64_t last() const { return last_; }

 private:
  memory::Reader reader_;
  const std::string study_;
  kernel::State state_;
  std::int64_t last_ = 0;
};

/// Lets the view read the newest values of open runs from their files, and draw its status each second.
void show_newest_values(const std::string& home, LiveView&);

/// Shows a study's events, and what its models say, until it is at rest, the owner leaves or is stopped.
void follow_at_owner(server::KernelClient& owner, const std::string& study, StudyFollower&, LiveView&);

/// Adds the environment of this process, and a token by which the study is found again.
void sign(session::StartRequest&);

/// The exit code for the study's final state.
int exit_code(const kernel::Study&);
/// Prints how each study ended, for people or as `study` JSON, one per line; returns the worst exit code.
enum class Ended { now, before };
int print_endings(const Context&, const std::vector<kernel::Study>&, Ended = Ended::now);

/// Follows the studies in a live view and prints how they ended; returns the exit code.
int follow_and_print(const Context&, std::vector<FollowRequest>);
/// The same for a study that concludes, without its events; it may have ended already.
int follow_to_end(const Context&, const std::string& id);

}  // namespace cli
