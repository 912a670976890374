#pragma once
// The folder that holds everything: where each thing lies in it, and who owns it. One kernel at a time holds the lock.

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "kernel/runs/job.h"

namespace session {

/// Absolute paths inside one home; nothing is created by asking.
struct HomePaths {
  std::string root;
  std::string database() const { return root + "/etude.db"; }
  std::string blobs() const { return root + "/blobs"; }
  std::string runs() const { return root + "/runs"; }
  std::string tries() const { return root + "/try"; }
  std::string workspaces() const { return root + "/workspaces"; }
  std::string workspace(const kernel::WorkspaceHash& hash) const { return workspaces() + "/" + hash; }
  std::string kept() const { return root + "/kept"; }
  std::string socket() const { return root + "/kernel.sock"; }
  std::string reproductions() const { return root + "/reproductions"; }
  std::string study_runs(const std::string& study) const { return runs() + "/" + study; }
  std::string run_folder(const std::string& study, const std::string& launch) const {
    return study_runs(study) + "/" + launch;
  }
  std::string checkpoint(const std::string& study, int first_attempt) const {
    return study_runs(study) + "/" + kernel::checkpoint_name(first_attempt);
  }
  kernel::Places places() const { return {runs(), workspaces(), kept()}; }
};

/// The process that holds HOME/lock (0: one that cannot be seen from here), none where nobody does. Takes no lock.
std::optional<int> owner_of(const HomePaths&);
/// What to say to someone who needs the home to himself.
kernel::Problem owned_problem(const HomePaths&);

/// A fresh store beside what is left of a lost one would number its studies as that did: the problem, where it is so.
std::optional<kernel::Problem> lost_store(const HomePaths&);

/// The run folder within a folder of HOME/try.
inline constexpr char tried_run[] = "run";

/// Holds HOME/lock (flock) for its life; the file names the owner's pid. Move-only.
class HomeLock {
 public:
  /// Creates the home (0700) if needed. Nothing where someone else holds it.
  static kernel::Result<std::optional<HomeLock>> take(const HomePaths&);
  HomeLock(HomeLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HomeLock& operator=(HomeLock&&) = delete;
  ~HomeLock();

 private:
  explicit HomeLock(int fd) : fd_(fd) {}
  int fd_;
};

/// Whoever writes into a home without owning it, as `etude try` does; holds HOME/try (flock) for its life. Move-only.
class HomeGuest {
 public:
  /// One of any number; home and store are created if needed, since blobs without a store look like a lost one. Throws
  /// std::system_error, and StoreFault.
  static HomeGuest enter(const HomePaths&);
  /// The only one: what guests left is nobody's. Nothing while another is there.
  static std::optional<HomeGuest> alone(const HomePaths&);
  HomeGuest(HomeGuest&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HomeGuest& operator=(HomeGuest&&) = delete;
  ~HomeGuest();

 private:
  explicit HomeGuest(const HomePaths&);
  int fd_;
};

}  // namespace session
