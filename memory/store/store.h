#pragma once
// The shared memory, from the kernel's side: one write connection to HOME/etude.db, where events and what can be read
// of them change together or not at all. Only the thread that made it writes; knows nothing of who asks. Readers have
// `Reader`.

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "kernel/loop/event_ports.h"
#include "memory/files/blobs.h"
#include "memory/files/home_folder.h"
#include "memory/log/database.h"
#include "memory/log/state_snapshots.h"
#include "memory/store/imports.h"
#include "memory/store/taggings.h"

namespace memory {

/// A hook for tests only: ends this process by SIGKILL just before or just after its Nth commit, as $ETUDE_FAULT says
/// (docs/home.md). Does nothing without that variable.
class CommitFault {
 public:
  /// Reads $ETUDE_FAULT: "kill-before-commit:N" or "kill-after-commit:N", N from 1. Throws StoreFault for anything
  /// else.
  CommitFault();

  /// To be called before and after each commit of events.
  void before() { strike(before_, ++commits_); }
  void after() const { strike(after_, commits_); }

 private:
  static void strike(std::int64_t at, std::int64_t now);

  std::int64_t before_ = 0, after_ = 0, commits_ = 0;  ///< In the first two, 0 means never.
};

class Store : public kernel::EventStore {
 public:
  /// Creates home and store if needed, and migrates an older store. Throws StoreFault for a newer store, a file that is
  /// no store, a network file system, and errors of the disk. Stores a snapshot of an active study (`StateSnapshots`)
  /// every `fold_every` events.
  explicit Store(const std::string& home, std::int64_t fold_every = 10'000);

  /// Appends in one durable transaction; nothing is stored if it throws. Events that only report that runs have begun
  /// become durable with the next transaction. On a full disk the home's disk reserve is released and the function
  /// given to `when_full` is called; a resumed study makes it again. `after` must hold every study that has an event.
  void append(const std::vector<kernel::Event>& events, const kernel::State& after) override;
  void replay(const std::string& study, const std::function<void(const kernel::Event&)>&) override;

  /// Sets the function to call, on the kernel thread, when events were stored only because the disk reserve was
  /// released.
  void when_full(std::function<void(const StoreFault&)> full) { full_ = std::move(full); }

  /// Loads all studies that have not ended, or only the named one, from their snapshots and the newer events. Throws
  /// StoreFault naming the event if a chain is broken.
  kernel::State load_active(const std::string& only = {});
  /// One study, folded from all its events; an empty state if there is none. Throws as `load_active` does.
  kernel::State load(const std::string& study);
  /// One more than the highest study number, N in sN.
  int next_study_number();
  /// The outcome of an earlier run with that key (kernel/runs/run_keys.h); none if unknown or unreadable.
  std::optional<kernel::RunEnded> remembered(const std::string& key);
  /// Imports an artifact, durable when this returns; counts as a commit. Its files must be blobs already.
  TakenIn take_in(const kernel::ImportedArtifact&, std::int64_t time_ms);
  /// Changes the tags of a study, durable when this returns; counts as a commit. A problem as `store_tagging` has it.
  std::optional<kernel::Problem> tag(const std::string& study, const kernel::Tagging&, std::int64_t time_ms);
  /// The chain's last hash; empty if the study has no events.
  std::string head(const std::string& study);

 private:
  /// Runs `change` in a durable transaction, on a full disk with the disk reserve.
  template <typename Change>
  auto commit(const Change&);
  template <typename Change>
  auto commit_now(const Change&);
  void append_all(const std::vector<kernel::Event>& events, const kernel::State& after);

  const std::thread::id thread_ = std::this_thread::get_id();
  std::unique_ptr<Database> database_;
  StateSnapshots snapshots_;
  DiskReserve reserve_;
  const Blobs blobs_;
  bool waits_ = true;   ///< Whether a commit waits for the disk.
  bool bulky_ = false;  ///< Whether the last append took much memory.
  std::function<void(const StoreFault&)> full_;
  CommitFault fault_;
};

}  // namespace memory
