#include "apps/session/control/room_watch.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <sys/statvfs.h>

namespace session {

namespace {

constexpr int most_steps = 64;

}  // namespace

bool has_room(const std::string& folder) {
  // An artifact's folder may not exist yet.
  std::filesystem::path place(folder);
  std::error_code error;
  while (!std::filesystem::exists(place, error) && place.has_relative_path()) place = place.parent_path();
  struct statvfs about {};
  if (::statvfs(place.c_str(), &about) != 0) return false;
  const auto bytes = [&](auto blocks) { return static_cast<std::int64_t>(blocks * about.f_frsize); };
  const std::int64_t least = std::clamp<std::int64_t>(bytes(about.f_blocks) / 25, 16 << 20, 128 << 20);
  return bytes(about.f_bavail) >= least;
}

RoomWatch::RoomWatch(std::function<void(const std::string&)> resume, std::chrono::milliseconds step,
                     std::chrono::milliseconds calm)
    : resume_(std::move(resume)), step_(step), calm_(calm), thread_([this] { watch(); }) {}

RoomWatch::~RoomWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RoomWatch::paused(const std::string& study, std::vector<std::string> folders) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    Waiting& waiting = studies_[study];
    const bool soon = waiting.since != Clock::time_point() && now - waiting.since < calm_;
    waiting.steps = soon ? std::min(2 * waiting.steps, most_steps) : 1;
    waiting.folders = std::move(folders);
    waiting.due = now + waiting.steps * step_;
  }
  changed_.notify_all();
}

void RoomWatch::goes_on(const std::string& study) {
  const std::lock_guard lock(mutex_);
  const auto it = studies_.find(study);
  if (it == studies_.end()) return;
  it->second.folders.clear();
  it->second.since = Clock::now();
}

std::string RoomWatch::next() {
  const auto now = Clock::now();
  for (auto& [study, waiting] : studies_) {
    if (waiting.folders.empty() || waiting.due > now) continue;
    waiting.due = now + step_;
    if (!std::ranges::all_of(waiting.folders, has_room)) continue;
    // If the study cannot be resumed, it is asked again later.
    waiting.due = now + most_steps * step_;
    return study;
  }
  return "";
}

void RoomWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (const std::string study = next(); !study.empty()) {
      lock.unlock();
      resume_(study);
      lock.lock();
      continue;
    }
    auto due = Clock::time_point::max();
    for (const auto& [study, waiting] : studies_)
      if (!waiting.folders.empty()) due = std::min(due, waiting.due);
    if (due == Clock::time_point::max())
      changed_.wait(lock);
    else
      changed_.wait_until(lock, due);
  }
}

}  // namespace session
