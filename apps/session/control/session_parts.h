#pragma once
// The parts of a session and their connections: store, executor, collector, agents, packager and loop. Only for
// session.cc. The kernel's thread runs the loop; `hold`, `ending` and the inbox may be used from any thread.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "agents/thinking/conversation/thinker.h"
#include "apps/session/collect/collector.h"
#include "apps/session/collect/packager.h"
#include "apps/session/control/model_roles.h"
#include "apps/session/control/room_watch.h"
#include "apps/session/home/home.h"
#include "apps/session/home/system_clock.h"
#include "apps/session/meters/meters.h"
#include "apps/session/notify/notifier.h"
#include "apps/session/watch/feed.h"
#include "base/redact.h"
#include "executors/backend/backend.h"
#include "kernel/loop/admission.h"
#include "kernel/loop/event_ports.h"
#include "kernel/loop/inbox.h"
#include "kernel/loop/loop.h"
#include "memory/files/blobs.h"
#include "memory/store/store.h"

namespace session {

/// Counts the requests that may write to the home. While it is closed, none may. Never waits.
class WriteGate {
 public:
  bool enter() {
    int now = inside_;
    while (now >= 0)
      if (inside_.compare_exchange_weak(now, now + 1)) return true;
    return false;
  }
  void leave() { --inside_; }
  /// False while anything is inside.
  bool close() {
    int none = 0;
    return inside_.compare_exchange_strong(none, -1);
  }
  void open() { inside_ = 0; }

 private:
  std::atomic<int> inside_{0};
};

/// What a session that only reads has, too.
struct SessionGround {
  SessionGround(const std::string& root, const executors::Backend&, const std::string& config);
  virtual ~SessionGround() = default;

  const HomePaths home;
  const executors::Backend& backend;
  const std::string config_path;  ///< The path of --config; empty for the default.
  const kernel::Redactor redact;
  Feed feed;
};

/// Members are in order of dependence: a member borrows only from those before it, which are destroyed after it.
struct SessionParts : SessionGround, kernel::Observer {
  SessionParts(const std::string& root, HomeLock held, kernel::Observer& watching, const executors::Backend&,
               const std::string& config);
  /// Waits for the packagers.
  ~SessionParts() override;

  void committed(const kernel::Event&, const kernel::State&) override;
  void refused(const kernel::Command&, const std::string& reason) override;
  void memory_is_short(const kernel::MemoryShortage&) override;

  /// Marks the study as one that this kernel works on.
  void hold(const std::string& study);
  /// Folders on whose disks the study writes.
  std::vector<std::string> disks_of(const kernel::Study&) const;
  /// Whether it has stopped serving and waits for running jobs.
  bool ending() const { return serves && interrupts > 0; }
  /// Packages the study on a thread of its own, which reports to the inbox.
  void begin_packaging(const kernel::Study&);
  /// Draws its pictures, and keeps for its packaging what was read of its log.
  kernel::ReportPictures drawn_pictures(const std::string& study);
  FoldedStudy take_drawn(const std::string& study);

  HomeLock lock;
  kernel::Observer& watcher;
  SystemClock clock;
  kernel::Inbox inbox;
  memory::Store store;
  Meters meters;
  TimedStore timed_store;
  memory::Blobs blobs;
  Remover remover;
  Collector collector;
  const std::unique_ptr<kernel::Executor> executor;
  const kernel::Machine machine;
  std::vector<std::thread> packagers;
  std::mutex drawn_mutex;
  std::map<std::string, FoldedStudy> drawn;  ///< Studies whose pictures are drawn and that are not packaged yet.
  std::atomic<int> next_number;
  WriteGate gate;
  ModelRoles roles;
  agents::Thinker thinker;
  kernel::Loop loop;
  const std::thread::id kernel_thread = std::this_thread::get_id();
  std::set<std::string> awaited;
  std::mutex in_hand_mutex;
  std::set<std::string> in_hand;  ///< Studies that this kernel opened or resumed.
  std::atomic<int> interrupts{0};
  std::atomic<bool> serves{false};
  std::optional<RoomWatch> room;  ///< While serving.
  Notifier* notifier = nullptr;   ///< Of the caller of `open`; may be null.
};

}  // namespace session
