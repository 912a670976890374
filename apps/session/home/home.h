#pragma once
// The home: the paths in it, and its owner. One kernel at a time holds the lock.

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "kernel/runs/job.h"

namespace session {

/// Absolute paths inside one home; creates nothing.
struct HomePaths {
  std::string root;
  std::string database() const { return root + "/etude.db"; }
  std::string blobs() const { return root + "/blobs"; }
  std::string runs() const { return root + "/runs"; }
  std::string tries() const { return root + "/try"; }
  std::string tried_runs() const { return root + "/tries.jsonl"; }
  std::string workspaces() const { return root + "/workspaces"; }
  std::string workspace(const kernel::WorkspaceHash& hash) const { return workspaces() + "/" + hash; }
  std::string kept() const { return root + "/kept"; }
  std::string socket() const { return root + "/kernel.sock"; }
  std::string reproductions() const { return root + "/reproductions"; }
  std::string study_runs(const std::string& study) const { return runs() + "/" + study; }
  std::string run_folder(const std::string& study, const std::string& launch) const {
    return study_runs(study) + "/" + launch;
  }
  kernel::Places places() const { return {runs(), workspaces(), kept()}; }
};

/// The process that holds HOME/lock (0 if its pid cannot be seen from here); none if no process does. Takes no lock.
std::optional<int> owner_of(const HomePaths&);
/// The problem if another process owns the home.
kernel::Problem owned_problem(const HomePaths&);

/// The problem of a study that is not in the home, or has ended.
kernel::Problem no_active_study(const HomePaths&, const std::string& study);

/// A problem if the home's store was lost: a fresh store would give its studies the same numbers.
std::optional<kernel::Problem> lost_store(const HomePaths&);

/// The reason to pause if the exception says that a disk is full. `place`: a path on it, if the exception names none.
std::optional<kernel::Reason> no_room(const std::exception&, const std::string& place);

/// The run folder inside a folder of HOME/try.
inline constexpr char tried_run[] = "run";

/// Holds HOME/lock (flock) during its lifetime; the file contains the owner's pid. Move-only.
class HomeLock {
 public:
  /// Creates the home (0700) if needed. None if another process holds the lock.
  static kernel::Result<std::optional<HomeLock>> take(const HomePaths&);
  HomeLock(HomeLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HomeLock& operator=(HomeLock&&) = delete;
  ~HomeLock();

 private:
  explicit HomeLock(int fd) : fd_(fd) {}
  int fd_;
};

/// Brings the store of an older etude up to date, if it can be written and nobody owns the home.
void bring_up_to_date(const HomePaths&);

/// A process that writes into a home without owning it, as `etude try` does. Holds HOME/try (flock) during its
/// lifetime. Move-only.
class HomeGuest {
 public:
  /// Enters as one of any number of guests. Creates home and store if needed, since blobs without a store look like a
  /// lost one. Throws std::system_error, and StoreFault.
  static HomeGuest enter(const HomePaths&);
  /// Enters as the only guest, so that leftovers of guests may be deleted. None while another guest is active.
  static std::optional<HomeGuest> alone(const HomePaths&);
  HomeGuest(HomeGuest&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HomeGuest& operator=(HomeGuest&&) = delete;
  ~HomeGuest();

 private:
  explicit HomeGuest(const HomePaths&);
  int fd_;
};

}  // namespace session
