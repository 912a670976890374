#pragma once
// Resumes studies that a full disk paused, once there is room again. The system tells nobody when a disk gets room, so
// this looks while a study waits, and else sleeps.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace session {

class RoomWatch {
 public:
  /// `resume` is called on a thread of its own. `step`: from one look to the next. A study that is paused again within
  /// `calm` after it was resumed waits twice as many steps as before, 64 at most.
  RoomWatch(std::function<void(const std::string& study)> resume,
            std::chrono::milliseconds step = std::chrono::seconds(5),
            std::chrono::milliseconds calm = std::chrono::minutes(10));
  /// Waits for a `resume` under way.
  ~RoomWatch();
  RoomWatch(const RoomWatch&) = delete;
  RoomWatch& operator=(const RoomWatch&) = delete;

  /// A full disk paused the study, which writes into these folders. Any thread.
  void paused(const std::string& study, std::vector<std::string> folders);
  /// The study was resumed or is to end. Any thread.
  void goes_on(const std::string& study);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::vector<std::string> folders;  ///< Empty while the study does not wait.
    int steps = 1;
    Clock::time_point due{}, since{};  ///< The next look; when it was resumed.
  };
  void watch();
  /// The next study that is due and has room; empty if there is none.
  std::string next();

  const std::function<void(const std::string&)> resume_;
  const std::chrono::milliseconds step_, calm_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Waiting> studies_;
  bool over_ = false;
  std::thread thread_;
};

/// Whether the file system of an existing folder has more room than what counts as nearly full, so that a study that
/// goes on is not paused again at once: 4 % of it, at least 16 MB, at most 128 MB.
bool has_room(const std::string& folder);

}  // namespace session
