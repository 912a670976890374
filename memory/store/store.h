#pragma once
// The shared memory, from the kernel's side: one write connection to HOME/etude.db, where events and what can be read
// of them change together or not at all. Only the thread that made it writes; knows nothing of who asks. Readers have
// `Reader`.

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "kernel/loop/event_store.h"
#include "memory/files/blobs.h"
#include "memory/files/disk_reserve.h"
#include "memory/log/commit_fault.h"
#include "memory/log/database.h"
#include "memory/log/state_snapshots.h"
#include "memory/store/imports.h"

namespace memory {

class Store : public kernel::EventStore {
 public:
  /// Creates home and store where there are none, and brings an older store up to date. Throws StoreFault for a newer
  /// store, a file that is no store, a network file system, and whatever the disk does.
  /// The state of a study that goes on is stored with every so many of its events (`StateSnapshots`).
  explicit Store(const std::string& home, std::int64_t fold_every = 10'000);

  /// One durable transaction (where all of it only reports that runs have begun: durable with the next one); nothing of
  /// it is there if it throws. On a full disk the home's ballast goes first, and `when_full` is told. `after` must hold
  /// every study that has an event.
  void append(const std::vector<kernel::Event>& events, const kernel::State& after) override;
  void replay(const std::string& study, const std::function<void(const kernel::Event&)>&) override;

  /// Whom to tell, on the kernel thread, that what has just been stored found room only because the ballast went.
  void when_full(std::function<void(const std::string&)> full) { full_ = std::move(full); }

  /// Every study that has not ended, or only the one named, unless it has: its stored state and the events since.
  /// Throws StoreFault naming the event where a chain is found to be broken.
  kernel::State load_active(const std::string& only = {});
  /// One study, folded from all its events; empty when there is none of that id. Throws as `load_active` does.
  kernel::State load(const std::string& study);
  /// One more than the highest number of a study, sN.
  int next_study_number();
  /// What a run of that key came to (kernel/runs/run_keys.h); none is known, or it cannot be read.
  std::optional<kernel::RunEnded> remembered(const std::string& key);
  /// Takes an artifact into the memory, durable when this returns, and counts as a commit. Its files must be blobs
  /// already.
  TakenIn take_in(const kernel::ImportedArtifact&, std::int64_t time_ms);
  /// The chain's last hash; empty when the study has no events.
  std::string head(const std::string& study);

 private:
  TakenIn take_in_now(const kernel::ImportedArtifact&, std::int64_t time_ms);
  void append_all(const std::vector<kernel::Event>& events, const kernel::State& after);

  const std::thread::id thread_ = std::this_thread::get_id();
  std::unique_ptr<Database> database_;
  StateSnapshots snapshots_;
  DiskReserve reserve_;
  const Blobs blobs_;
  bool waits_ = true;   ///< For the disk, at each commit.
  bool bulky_ = false;  ///< What was appended last took much memory.
  std::function<void(const std::string&)> full_;
  CommitFault fault_ = CommitFault::of_environment();
};

}  // namespace memory
