#pragma once
// What of the machine's tree a job will see at its own place: the system's folders and what is added. Follows links the
// way the kernel would, and notices where one leads out of sight.

#include <set>
#include <string>

namespace executors {

class Visible {
 public:
  /// Folder or file, absolute; seen with everything below it.
  void add(const std::string& path);
  /// True when every link on the way and the end of it are in sight.
  bool reaches(const std::string& path) const;
  /// True for what the system's own folders hold.
  static bool is_system(const std::string& path);

  const std::set<std::string>& added() const { return added_; }

 private:
  bool shows(const std::string& path) const;

  std::set<std::string> added_;
};

/// Whether a folder may be shown to jobs as a whole: not a home, nothing that holds one, not the machine's own state,
/// and no hidden folder of `home`, where programs keep keys, unless it is a Python or conda environment and so nothing
/// else.
bool may_show(const std::string& folder, const std::string& home);

}  // namespace executors
