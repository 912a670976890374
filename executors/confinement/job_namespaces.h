#pragma once
// The PID and mount namespaces of a job without a sandbox, with an init that only reaps orphans. A supervisor uses them
// for its next job, too, if the last one left nothing in them: making and removing them costs a third of a short run.
// They end with this process. One thread.

#include <functional>

#include <sys/resource.h>
#include <sys/types.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

struct OwnIds {
  uid_t user;
  gid_t group;
};

/// The first step in a user namespace that was made without root: the user and the group of outside keep their numbers;
/// all others belong to nobody. False if Linux refuses.
bool map_own_ids(const OwnIds&);

class JobNamespaces {
 public:
  /// None yet. `in_init` is called in each new init.
  explicit JobNamespaces(std::function<void()> in_init = {}) : in_init_(std::move(in_init)) {}
  JobNamespaces(const JobNamespaces&) = delete;
  JobNamespaces& operator=(const JobNamespaces&) = delete;
  ~JobNamespaces() { end_and_wait(); }

  /// Makes new ones. `new_user`: owned by a user namespace, which is new, too, and needs no root. False, without a side
  /// effect, if Linux refuses.
  bool make(bool new_user);
  /// Ends namespaces whose mounts may differ from the machine's. Precondition: nothing else has reaped the init.
  bool is_alive();
  /// The init's process number, seen from here; 0 if there is none.
  int init() const { return init_; }
  bool has_new_user() const { return new_user_; }

  /// Like fork: the child is a child of this process, and process 2 of the PID namespace as far as Linux lets us
  /// choose. It must call `enter`. -1, with errno, if there is none.
  int fork();
  /// In the child: the rest of the namespaces. False, with errno, if Linux refuses.
  bool enter() const;

  /// True if no job has left anything: no process, no use that this process has not been told, no mount, no limit of
  /// the init's time. Precondition: the job itself was reaped.
  bool is_as_new() const;
  /// Lets the init kill and reap what is left, and end. The caller reaps it.
  void end();
  void end_and_wait();

 private:
  bool open_all();
  int fork_in_user();

  std::function<void()> in_init_;
  int init_ = 0;
  bool new_user_ = false;
  Fd line_;  ///< To the init, which ends when it is closed.
  Fd pids_, mounts_, user_, own_pids_, root_;
  Fd changes_, own_changes_;  ///< The mount tables of the namespace and of this process.
  rlimit time_{};             ///< Of the init's processor time.
};

}  // namespace supervisor
