#include "executors/confinement/confinement.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "executors/run_protocol/landlock.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

/// The rights on files that this version of Landlock knows.
std::uint64_t known_rights(int version) {
  using namespace landlock;
  return all_of_version_1 | (version >= 2 ? may_link : 0) | (version >= 3 ? may_truncate : 0) |
         (version >= 5 ? may_control : 0);
}

/// What is executed next has no capabilities, even if root executes it: they would open what Landlock does not close,
/// such as the variables of other processes.
void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, sets) == 0) {
    for (__user_cap_data_struct& set : sets) set.inheritable = 0;
    syscall(SYS_capset, &header, sets);
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // Refused to users who are not root, who have none.
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
    prctl(PR_CAPBSET_DROP, capability);
}

bool allow(int rules, const std::string& path, std::uint64_t rights) {
  const Fd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat about {};
  if (!place || fstat(place.get(), &about) != 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
  using namespace landlock;
  if (!S_ISDIR(about.st_mode)) rights &= may_execute | may_write | may_read | may_truncate | may_control;
  const PathRule rule{rights, place.get()};
  return syscall(add_rule, rules, path_beneath, &rule, 0) == 0;
}

}  // namespace

int confine(const Job& job) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  drop_capabilities();
  const int version = landlock::version();
  if (version == 0) return 0;
  const std::uint64_t all = known_rights(version),
                      read = landlock::may_execute | landlock::may_read | landlock::may_list;
  landlock::Ruleset wanted;
  wanted.files = all;
  if (version >= 6) wanted.scopes = landlock::all_scopes;
  const Fd rules(static_cast<int>(syscall(landlock::create_ruleset, &wanted, sizeof wanted, 0)));
  if (!rules) return errno;
  for (const std::string& path : job.may_read)
    if (!allow(rules.get(), path, read)) return errno;
  for (const std::string& path : job.may_write)
    if (!allow(rules.get(), path, all)) return errno;
  return syscall(landlock::restrict_self, rules.get(), 0) == 0 ? 0 : errno;
}

}  // namespace supervisor
