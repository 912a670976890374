#include "executors/confinement/job_namespaces.h"

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/run_protocol/process_tree.h"

namespace supervisor {
namespace {

constexpr pid_t first_after_init = 2;

bool say(int line) {
  return write_all(line, "x");
}

bool hear(int line) {
  char word = 0;
  ssize_t n = 0;
  while ((n = read(line, &word, 1)) < 0 && errno == EINTR) {
  }
  return n == 1;
}

/// Reaps orphans until the line is closed.
void reap_orphans(int line) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  const int ended = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  for (;;) {
    pollfd fds[] = {{line, POLLIN, 0}, {ended, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
    signalfd_siginfo info{};
    while (read(ended, &info, sizeof info) > 0) {
    }
    while (waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
    }
    if (fds[0].revents) return;
  }
}

/// Kills all other processes of the namespace, and waits until none is left: Linux loses the resource usage of
/// processes that die with their namespace. The time is limited, because a process that waits for a device may not die
/// at once.
void end_all() {
  for (int round = 0; round < 1000; ++round) {
    const bool alone = kill(-1, SIGKILL) != 0 && errno == ESRCH;
    while (waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
    }
    if (alone) return;
    usleep(500);
  }
}

[[noreturn]] void become_init(int line, const OwnIds* own, const std::function<void()>& in_init) {
  if (own && !map_own_ids(*own)) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If memory runs out, it should be killed before its supervisor.
  write_file(AT_FDCWD, "/proc/self/oom_score_adj", "500");
  // A separate /proc: the old one would show other processes under the job's numbers.
  if (mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0 ||
      mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    _exit(126);
  // It must not hold a run's lock.
  close_descriptors(3, static_cast<unsigned>(line) - 1);
  close_descriptors(static_cast<unsigned>(line) + 1);
  if (in_init) in_init();
  if (!say(line) || !hear(line)) _exit(0);
  prctl(PR_SET_NAME, "etude-init");
  prctl(PR_SET_DUMPABLE, 0);
  reap_orphans(line);
  end_all();
  _exit(0);
}

/// A fork whose child has this number in its PID namespace, where Linux lets us choose it (from 5.5).
int fork_as(pid_t number, std::uint64_t flags) {
  clone_args arguments{};
  arguments.flags = flags;
  arguments.exit_signal = flags & CLONE_PARENT ? 0 : SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  arguments.set_tid_size = 1;
  const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid >= 0 || errno == EAGAIN || errno == ENOMEM) return static_cast<int>(pid);
  return static_cast<int>(syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

/// Whether Linux lets us enter a mount namespace of our own user, which needs more than making one.
bool may_enter_mounts() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  return syscall(SYS_capget, &header, data) == 0 && (data[0].effective >> CAP_SYS_CHROOT & 1) != 0;
}

/// Entering a mount namespace leads to its root, also where ours was another one (`chroot`).
bool keep_root(int root) {
  struct stat ours {
  }, entered{};
  if (fstat(root, &ours) != 0 || stat("/", &entered) != 0) return false;
  if (ours.st_dev == entered.st_dev && ours.st_ino == entered.st_ino) return true;
  return fchdir(root) == 0 && chroot(".") == 0;
}

/// Of a mount table: since it was opened, or since the last call.
bool has_changed(const Fd& mounts) {
  pollfd changed{mounts.get(), POLLPRI, 0};
  return poll(&changed, 1, 0) != 0;
}

/// The numbers of a thread's children, each with a space behind it; none if this kernel does not list them.
std::optional<std::string> children_of(const std::string& thread) {
  return read_file(AT_FDCWD, ("/proc/" + thread + "/children").c_str());
}

}  // namespace

bool map_own_ids(const OwnIds& own) {
  const auto map = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
  return write_file(AT_FDCWD, "/proc/self/setgroups", "deny") &&
         write_file(AT_FDCWD, "/proc/self/gid_map", map(own.group)) &&
         write_file(AT_FDCWD, "/proc/self/uid_map", map(own.user));
}

bool JobNamespaces::make(bool new_user) {
  if (!new_user && !may_enter_mounts()) return false;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  line_.reset(ends[0]);
  Fd theirs(ends[1]);
  const OwnIds own{geteuid(), getegid()};
  const unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | (new_user ? CLONE_NEWUSER : 0ul);
  init_ = static_cast<int>(syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (init_ == 0) become_init(theirs.get(), new_user ? &own : nullptr, in_init_);
  theirs.reset();
  new_user_ = new_user;
  // From our word on nobody can look into it.
  if (init_ > 0 && hear(line_.get()) && open_all() && say(line_.get())) return true;
  end_and_wait();
  return false;
}

bool JobNamespaces::is_alive() {
  if (init_ > 0 && waitpid(init_, nullptr, WNOHANG | __WALL) != 0) end();
  // What is mounted on the machine later need not reach a copy of its mounts.
  if (init_ > 0 && has_changed(own_changes_)) end_and_wait();
  return init_ > 0;
}

bool JobNamespaces::open_all() {
  const auto opened = [](Fd& fd, const std::string& path, int how = O_RDONLY) {
    fd.reset(open(path.c_str(), how | O_CLOEXEC));
    return static_cast<bool>(fd);
  };
  const std::string of_init = "/proc/" + std::to_string(init_);
  return opened(pids_, of_init + "/ns/pid") && opened(mounts_, of_init + "/ns/mnt") &&
         (!new_user_ || opened(user_, of_init + "/ns/user")) && opened(own_pids_, "/proc/self/ns/pid") &&
         opened(changes_, of_init + "/mounts") && opened(own_changes_, "/proc/self/mounts") &&
         opened(root_, of_init + "/root", O_PATH | O_DIRECTORY) && getrlimit(RLIMIT_CPU, &time_) == 0;
}

int JobNamespaces::fork() {
  if (new_user_) return fork_in_user();
  if (setns(pids_.get(), CLONE_NEWPID) != 0) return -1;
  const int pid = fork_as(first_after_init, 0);
  if (pid == 0) return 0;
  const int error = errno;
  setns(own_pids_.get(), CLONE_NEWPID);
  errno = error;
  return pid;
}

/// Who is not root must be in the user namespace to fork into the others, and cannot leave it again. So a process
/// between us and the job enters, and makes the job our child.
int JobNamespaces::fork_in_user() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  Fd ours(ends[0]), theirs(ends[1]);
  const int between = static_cast<int>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (between == 0) {
    int job = -1;
    if (setns(user_.get(), CLONE_NEWUSER) == 0 && setns(pids_.get(), CLONE_NEWPID) == 0)
      job = fork_as(first_after_init, CLONE_PARENT);
    if (job == 0) return 0;
    const int answer[] = {job, errno};
    write_all(theirs.get(), {reinterpret_cast<const char*>(answer), sizeof answer});
    _exit(0);
  }
  if (between < 0) return -1;
  theirs.reset();
  int answer[] = {-1, EIO};
  while (read(ours.get(), answer, sizeof answer) < 0 && errno == EINTR) {
  }
  waitpid(between, nullptr, __WALL);
  errno = answer[1];
  return answer[0];
}

bool JobNamespaces::enter() const {
  // The next number, as in a new namespace. It is this process's namespace that counts, not that of /proc.
  write_file(AT_FDCWD, "/proc/sys/kernel/ns_last_pid", std::to_string(first_after_init));
  return setns(mounts_.get(), CLONE_NEWNS) == 0 && keep_root(root_.get());
}

bool JobNamespaces::is_as_new() const {
  if (init_ == 0) return false;
  if (has_changed(changes_)) return false;
  // Linux kills even an init at such a limit, which its user may set.
  rlimit time{};
  if (prlimit(init_, RLIMIT_CPU, nullptr, &time) != 0 || time.rlim_cur != time_.rlim_cur) return false;
  const std::string init = std::to_string(init_);
  // Every process there descends from the job, which is gone, or has become the init's child. Of those that the init
  // has reaped, only it can say what they used, at its own end.
  constexpr int faults_of_reaped = 11;
  return children_of("thread-self") == init + " " && children_of(init + "/task/" + init) == "" &&
         stat_field(stat_of(init_), faults_of_reaped) == 0;
}

void JobNamespaces::end() {
  init_ = 0;
  for (Fd* fd : {&line_, &pids_, &mounts_, &user_, &own_pids_, &changes_, &own_changes_, &root_}) fd->reset();
}

void JobNamespaces::end_and_wait() {
  const int init = init_;
  end();
  if (init > 0) waitpid(init, nullptr, __WALL);
}

}  // namespace supervisor
