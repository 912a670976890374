#include "executors/confinement/empty_network.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/confinement/job_namespaces.h"

namespace supervisor {
namespace {

constexpr const char* counter_files[] = {"dev", "snmp", "snmp6", "netstat"};

/// Descriptors of a new network: its user namespace (-1 for root), itself, and its counters.
using Opened = std::array<int, 2 + std::size(counter_files)>;

bool start_loopback() {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  if (!socket || ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags |= IFF_UP;
  return ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

Opened open_all(bool new_user) {
  const auto opened = [](const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); };
  Opened all;
  all[0] = new_user ? opened("/proc/self/ns/user") : -1;
  all[1] = opened("/proc/self/ns/net");
  for (std::size_t i = 0; i < std::size(counter_files); ++i)
    all[2 + i] = opened(std::string("/proc/self/net/") + counter_files[i]);
  return all;
}

/// In a child with its own network that shares our table of descriptors.
[[noreturn]] void become_maker(int line, const OwnIds* own) {
  if ((own && !map_own_ids(*own)) || !start_loopback()) _exit(126);
  const Opened all = open_all(own != nullptr);
  _exit(write_all(line, {reinterpret_cast<const char*>(all.data()), sizeof all}) ? 0 : 126);
}

}  // namespace

bool EmptyNetwork::make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const Fd ours(ends[0]), theirs(ends[1]);
  const bool new_user = geteuid() != 0;
  const OwnIds own{geteuid(), getegid()};
  const unsigned long flags = CLONE_FILES | CLONE_NEWNET | (new_user ? CLONE_NEWUSER : 0ul);
  const int maker = static_cast<int>(syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (maker == 0) become_maker(theirs.get(), new_user ? &own : nullptr);
  if (maker < 0) return false;
  waitpid(maker, nullptr, __WALL);
  Opened all;
  fcntl(ours.get(), F_SETFL, O_NONBLOCK);  // The maker has written, or nobody will.
  if (read(ours.get(), all.data(), sizeof all) != static_cast<ssize_t>(sizeof all)) return false;
  user_.reset(all[0]);
  network_.reset(all[1]);
  for (std::size_t i = 0; i < std::size(counter_files); ++i) counters_[i].reset(all[2 + i]);
  if ((new_user && !user_) || !network_ || !counters_[0]) return false;
  unused_ = counters();
  return !unused_.empty();
}

std::string EmptyNetwork::counters() const {
  std::string all;
  for (const Fd& fd : counters_) {
    // A file that this kernel lacks, such as those of IPv6, counts nothing.
    if (!fd) continue;
    lseek(fd.get(), 0, SEEK_SET);
    char part[8192];
    ssize_t n = 0;
    while ((n = read(fd.get(), part, sizeof part)) > 0) all.append(part, static_cast<std::size_t>(n));
    if (n < 0) return "";
  }
  return all;
}

bool EmptyNetwork::is_ready() {
  if (++jobs_ == 1 || given_up_) return false;
  given_up_ = network_ ? counters() != unused_ : !make();
  if (!given_up_) return true;
  for (Fd* fd : {&user_, &network_, &counters_[0], &counters_[1], &counters_[2], &counters_[3]}) fd->reset();
  return false;
}

bool EmptyNetwork::enter() const {
  return (!user_ || setns(user_.get(), CLONE_NEWUSER) == 0) && setns(network_.get(), CLONE_NEWNET) == 0;
}

}  // namespace supervisor
