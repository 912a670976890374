#pragma once
// The folder that holds everything: where each thing lies in it, and who owns it. One kernel at a time holds the lock.

#include <string>
#include <utility>

#include "kernel/job.h"
#include "kernel/result.h"

namespace session {

/// Absolute paths inside one home; nothing is created by asking.
struct HomePaths {
  std::string root;
  std::string database() const { return root + "/etude.db"; }
  std::string blobs() const { return root + "/blobs"; }
  std::string runs() const { return root + "/runs"; }
  std::string workspaces() const { return root + "/workspaces"; }
  std::string workspace(const std::string& hash) const { return workspaces() + "/" + hash; }
  std::string reproductions() const { return root + "/reproductions"; }
  std::string run_folder(const std::string& study, int number) const {
    return runs() + "/" + study + "/" + std::to_string(number);
  }
  kernel::Places places() const { return {runs(), workspaces()}; }
};

/// Holds HOME/lock (flock) for its life; the file names the owner's pid. Move-only.
class HomeLock {
 public:
  /// Creates the home (0700) if needed. A Problem names the owner when someone else holds it.
  static kernel::Result<HomeLock> take(const HomePaths&);
  HomeLock(HomeLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HomeLock& operator=(HomeLock&&) = delete;
  ~HomeLock();

 private:
  explicit HomeLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace session
