#pragma once
// The parts of the machine's tree that a job sees at their own places: the system's folders and those added. Follows
// links like the kernel, and notices links to places that the job cannot see.

#include <deque>
#include <set>
#include <string>

namespace executors {

/// The names on the path in order, without empty ones and ".".
std::deque<std::string> path_parts(const std::string& path);

class Visible {
 public:
  /// A folder or file, absolute; everything below it is visible, too.
  void add(const std::string& path);
  /// True if all links on the path and its end are visible.
  bool reaches(const std::string& path) const;
  /// True for paths in the system's own folders.
  static bool is_system(const std::string& path);

  const std::set<std::string>& added() const { return added_; }

 private:
  bool shows(const std::string& path) const;

  std::set<std::string> added_;
};

/// True if jobs may see the whole folder. Excluded: homes and folders above them, the machine's own state, and hidden
/// folders of `home`, where programs keep keys. A hidden folder is allowed if it is a Python or conda environment.
bool may_show(const std::string& folder, const std::string& home);

}  // namespace executors
