#include "executors/sandbox/sandbox_view.h"

#include <algorithm>
#include <climits>
#include <deque>

#include <unistd.h>

#include "programs/find_program.h"

namespace executors {

using programs::name_of;
using programs::parent_of;

namespace {

constexpr const char* system_folders[] = {"/usr",   "/bin",   "/sbin",   "/lib",
                                          "/lib32", "/lib64", "/libx32", "/etc/alternatives"};
constexpr const char* state_folders[] = {"/proc", "/sys", "/dev", "/run", "/etc", "/boot", "/var/run", "/etude"};

bool below(const std::string& path, const std::string& folder) {
  return path == folder || (path.starts_with(folder) && (folder.back() == '/' || path[folder.size()] == '/'));
}

}  // namespace

std::deque<std::string> path_parts(const std::string& path) {
  std::deque<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at && path.substr(at, end - at) != ".") parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void Visible::add(const std::string& path) {
  if (!is_system(path)) added_.insert(path);
}

bool Visible::is_system(const std::string& path) {
  return std::ranges::any_of(system_folders, [&](const char* folder) { return below(path, folder); });
}

bool Visible::shows(const std::string& path) const {
  return is_system(path) || std::ranges::any_of(added_, [&](const auto& folder) { return below(path, folder); });
}

bool Visible::reaches(const std::string& path) const {
  std::deque<std::string> ahead = path_parts(path);
  std::string here;
  for (int links = 0; !ahead.empty();) {
    const std::string part = ahead.front();
    ahead.pop_front();
    if (part == "..") {
      here = here.empty() || parent_of(here) == "/" ? "" : parent_of(here);
      continue;
    }
    const std::string next = here + "/" + part;
    char target[PATH_MAX];
    const ssize_t n = readlink(next.c_str(), target, sizeof target - 1);
    if (n < 0) {
      here = next;
      continue;
    }
    // A link that was added itself is shown as its target; a link above an added path is shown as a folder.
    const auto after = added_.lower_bound(next);
    if (after != added_.end() && below(*after, next)) {
      here = next;
      continue;
    }
    if (!shows(next) || ++links > 40) return false;
    target[n] = '\0';
    if (target[0] == '/') here.clear();
    const std::deque<std::string> through = path_parts(target);
    ahead.insert(ahead.begin(), through.begin(), through.end());
  }
  return shows(here);
}

bool may_show(const std::string& folder, const std::string& home) {
  if (folder.empty() || folder == "/" || parent_of(folder) == "/") return false;
  for (const char* state : state_folders)
    if (below(folder, state)) return false;
  if (folder == "/root" || below("/root", folder) || parent_of(folder) == "/home") return false;
  if (home.empty()) return true;
  if (below(home, folder)) return false;
  if (parent_of(folder) != home || !name_of(folder).starts_with(".")) return true;
  return access((folder + "/pyvenv.cfg").c_str(), F_OK) == 0 || access((folder + "/conda-meta").c_str(), F_OK) == 0;
}

}  // namespace executors
