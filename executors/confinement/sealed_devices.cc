#include "executors/confinement/sealed_devices.h"

#include <algorithm>
#include <string_view>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

constexpr unsigned long seal_flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC;
constexpr const char* useless_to_jobs[] = {"cgroup", "cgroup2", "debugfs",   "tracefs",  "securityfs", "pstore",  "bpf",
                                           "mqueue", "devpts",  "hugetlbfs", "configfs", "fusectl",    "efivarfs"};

/// Set before a fork; a mount that only looks sealed is not trusted.
enum class Shared { nothing, common_nodes, whole_dev } shared = Shared::nothing;

bool looks_sealed(const std::string& node) {
  constexpr unsigned long all = ST_RDONLY | ST_NOSUID | ST_NOEXEC;
  struct statvfs about {};
  return statvfs(node.c_str(), &about) == 0 && (about.f_flag & all) == all;
}

bool is_sealed(const std::string& node) {
  const std::vector<std::string>& common = common_devices();
  const bool ours = shared == Shared::whole_dev
                        ? node.starts_with("/dev/")
                        : shared == Shared::common_nodes && std::ranges::find(common, node) != common.end();
  return ours && looks_sealed(node);
}

bool leave_namespace(unsigned long propagation) {
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | propagation, nullptr) == 0;
}

bool seal(const std::string& path) {
  const char* node = path.c_str();
  return mount(node, node, nullptr, MS_BIND, nullptr) == 0 && mount(nullptr, node, nullptr, seal_flags, nullptr) == 0;
}

/// If /dev is one mount, and the writable /dev/shm is another, setting its flags is enough.
bool seal_whole_dev() {
  struct stat dev {
  }, shm{};
  if (stat("/dev", &dev) != 0 || (stat("/dev/shm", &shm) == 0 && shm.st_dev == dev.st_dev)) return false;
  return mount(nullptr, "/dev", nullptr, seal_flags, nullptr) == 0;
}

void drop_useless_mounts() {
  const std::string list = read_file(AT_FDCWD, "/proc/self/mounts").value_or("");
  std::vector<std::string> places;
  for (std::size_t at = 0, end = 0; (end = list.find('\n', at)) != list.npos; at = end + 1) {
    // Mount source, place and type; spaces in them are escaped.
    const std::string_view line = std::string_view(list).substr(at, end - at);
    const std::size_t place = line.find(' ') + 1, type = line.find(' ', place) + 1;
    if (place == 0 || type == 0) continue;
    const std::string_view name = line.substr(type, line.find(' ', type) - type);
    if (std::find(std::begin(useless_to_jobs), std::end(useless_to_jobs), name) != std::end(useless_to_jobs))
      places.emplace_back(line.substr(place, type - 1 - place));
  }
  for (auto place = places.rbegin(); place != places.rend(); ++place) umount2(place->c_str(), MNT_DETACH);
}

}  // namespace

const std::vector<std::string>& common_devices() {
  static const std::vector<std::string> nodes = {"/dev/null",   "/dev/zero",    "/dev/full",
                                                 "/dev/random", "/dev/urandom", "/dev/tty"};
  return nodes;
}

bool share_sealed_devices() {
  if (!leave_namespace(MS_SLAVE)) return false;
  drop_useless_mounts();
  const bool whole = seal_whole_dev();
  for (const std::string& node : common_devices())
    if (!(whole && looks_sealed(node)) && !seal(node)) return false;
  shared = whole ? Shared::whole_dev : Shared::common_nodes;
  return true;
}

bool seal_devices(const std::vector<std::string>& nodes) {
  std::vector<std::string> open;
  std::remove_copy_if(nodes.begin(), nodes.end(), std::back_inserter(open), is_sealed);
  return open.empty() || (leave_namespace(MS_PRIVATE) && std::ranges::all_of(open, seal));
}

}  // namespace supervisor
