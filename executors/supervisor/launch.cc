#include "executors/supervisor/launch.h"

#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/run_protocol/run_files.h"
#include "executors/supervisor/confinement.h"
#include "executors/supervisor/init.h"
#include "executors/supervisor/sealed_devices.h"

#ifdef ETUDE_INIT_PROGRAM
asm(".pushsection .rodata\n"
    "etude_init_program:\n"
    ".incbin \"" ETUDE_INIT_PROGRAM
    "\"\n"
    "etude_init_program_end:\n"
    ".popsection\n");
extern const char init_begin[] asm("etude_init_program");
extern const char init_end[] asm("etude_init_program_end");
#endif

namespace supervisor {
namespace {

/// The bytes of the sandbox's init program (executors/init). Empty on processors without a build of it; there the
/// supervisor itself serves as init.
std::string_view init_program() {
#ifdef ETUDE_INIT_PROGRAM
  return {init_begin, static_cast<std::size_t>(init_end - init_begin)};
#else
  return {};
#endif
}

struct Pipes {
  Fd out[2], err[2], report[2];
};

bool open_pipe(Fd (&ends)[2]) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return false;
  ends[0].reset(fds[0]);
  ends[1].reset(fds[1]);
  return true;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (const std::string& s : strings) list.push_back(const_cast<char*>(s.c_str()));
  list.push_back(nullptr);
  return list;
}

/// A memory file that survives exec, at its beginning.
int content(std::string_view bytes) {
  const int fd = memfd_create("etude", 0);
  if (fd < 0 || !write_all(fd, bytes) || lseek(fd, 0, SEEK_SET) != 0) return -1;
  return fd;
}

/// First steps of every child.
void settle(const Pipes& pipes) {
  dup2(pipes.out[1].get(), STDOUT_FILENO);
  dup2(pipes.err[1].get(), STDERR_FILENO);
  // If memory runs out, the job should be killed before its supervisor.
  write_file(AT_FDCWD, "/proc/self/oom_score_adj", "500");
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // The job must not see the keys of the login session.
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
}

[[noreturn]] void give_up(int report) {
  send(report, {Report::cannot_isolate, errno});
  _exit(126);
}

/// The machine's devices that bubblewrap will show.
std::vector<std::string> devices_of(const Job& job) {
  std::vector<std::string> nodes = common_devices();
  for (std::size_t i = 0; i + 1 < job.bwrap_arguments.size(); ++i)
    if (job.bwrap_arguments[i] == "--dev-bind") nodes.push_back(job.bwrap_arguments[i + 1]);
  return nodes;
}

/// Arguments that put an init where the command expects it.
std::vector<std::string> show_init() {
  if (!init_program().empty())
    return {"--perms", "0555", "--file", std::to_string(content(init_program())), init_inside};
  char own[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", own, sizeof own);
  return {"--ro-bind", n > 0 ? std::string(own, static_cast<std::size_t>(n)) : "", init_inside};
}

[[noreturn]] void become_bwrap(const Job& job, const Pipes& pipes) {
  settle(pipes);
  if (geteuid() == 0 && !seal_devices(devices_of(job))) give_up(pipes.report[1].get());
  // Opened again through the sealed mount: with the old descriptor root could still change the node.
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  // Options go through a descriptor and the environment is empty, so that neither appears in the sandbox's /proc/1.
  std::string options;
  const auto add = [&options](std::string_view option) { options.append(option).push_back('\0'); };
  for (const auto& [path, bytes] : job.files) {
    const int fd = content(bytes);
    if (fd < 0) break;
    add("--file"), add(std::to_string(fd)), add(path);
  }
  for (const std::string& entry : job.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    add("--setenv"), add(entry.substr(0, equals)), add(entry.substr(equals + 1));
  }
  for (const std::string& word : show_init()) add(word);
  for (const std::string& argument : job.bwrap_arguments) add(argument);
  std::vector<std::string> command{"bwrap", "--args", std::to_string(content(options)), "--", init_inside, "--init"};
  // The same number in every run, since the job can read it: which are free depends on what the supervisor ran before.
  constexpr int in_every_run = 500;
  int report = fcntl(pipes.report[1].get(), F_DUPFD, in_every_run);
  if (report < 0) report = fcntl(pipes.report[1].get(), F_DUPFD, 3);
  command.push_back(std::to_string(report));
  command.push_back(std::to_string(job.processes));
  command.insert(command.end(), job.arguments.begin(), job.arguments.end());
  char* nothing[] = {nullptr};
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(job.bwrap.c_str(), pointers(command).data(), nothing);
  give_up(report);
}

bool map_own_user(uid_t user, gid_t group) {
  const auto map = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
  return write_file(AT_FDCWD, "/proc/self/setgroups", "deny") &&
         write_file(AT_FDCWD, "/proc/self/gid_map", map(group)) &&
         write_file(AT_FDCWD, "/proc/self/uid_map", map(user));
}

[[noreturn]] void become_init(const Job& job, const Pipes& pipes, bool new_user, uid_t user, gid_t group) {
  const int report = pipes.report[1].get();
  settle(pipes);
  if (new_user && !map_own_user(user, group)) give_up(report);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A separate /proc: the old one would show other processes under the job's numbers.
  if (mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0 ||
      mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    give_up(report);
  // Only now: a confined process mounts nothing.
  if (job.is_confined() && (errno = confine(job)) != 0) give_up(report);
  send(report, {Report::isolated, 0});
  // Keep descriptors 0 to 2 and the report; the job must not inherit the run's lock.
  const int kept = fcntl(report, F_DUPFD, 3);
  close_descriptors(3, static_cast<unsigned>(kept) - 1);
  close_descriptors(static_cast<unsigned>(kept) + 1);
  // Without its own user namespace the limit would count all processes of the user.
  run_init(kept, job.offline ? Walls::offline : Walls::none, new_user ? job.processes : 0,
           pointers(job.arguments).data(), pointers(job.environment).data(), job.directory.c_str());
}

[[noreturn]] void become_command(const Job& job, const Pipes& pipes) {
  settle(pipes);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (job.is_confined() && (errno = confine(job)) != 0) give_up(pipes.report[1].get());
  execute(pipes.report[1].get(), job.offline ? Walls::offline : Walls::none, pointers(job.arguments).data(),
          pointers(job.environment).data(), job.directory.c_str());
}

struct Way {
  Isolation isolation;
  unsigned long namespaces;
};

/// Starts the job in this isolation. If a namespace cannot be created, there is no process and no side effect.
Launched attempt(const Job& job, const Way& way) {
  Launched result;
  result.isolation = way.isolation;
  Pipes pipes;
  if (!open_pipe(pipes.out) || !open_pipe(pipes.err) || !open_pipe(pipes.report)) {
    result.problem = {ReasonCode::no_pipes, {{"error", error_text(errno)}}};
    return result;
  }
  const uid_t user = geteuid();
  const gid_t group = getegid();
  // bubblewrap replaces the child at once, so until then it can share our memory.
  if (way.isolation == Isolation::sandbox)
    result.pid = vfork();
  else
    result.pid = static_cast<int>(syscall(SYS_clone, way.namespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (result.pid == 0) {
    if (way.isolation == Isolation::sandbox) become_bwrap(job, pipes);
    if (way.isolation == Isolation::process_tree) become_command(job, pipes);
    become_init(job, pipes, (way.namespaces & CLONE_NEWUSER) != 0, user, group);
  }
  if (result.pid < 0) {
    result.problem = {ReasonCode::no_new_process, {{"error", error_text(errno)}}};
    return result;
  }
  pipes.report[1].reset();
  if (way.isolation == Isolation::pid_namespace) {
    Report first{Report::cannot_isolate, 0};
    // The child reports this before anything slow; if it dies, the read ends, too.
    while (read(pipes.report[0].get(), &first, sizeof first) < 0 && errno == EINTR) {
    }
    if (first.kind != Report::isolated) {
      waitpid(result.pid, nullptr, __WALL);
      result.pid = -1;
      return result;
    }
  }
  fcntl(pipes.report[0].get(), F_SETFL, O_NONBLOCK);
  result.out = std::move(pipes.out[0]);
  result.err = std::move(pipes.err[0]);
  result.report = std::move(pipes.report[0]);
  return result;
}

}  // namespace

Launched launch(const Job& job) {
  std::vector<Way> ways;
  if (job.isolation == Isolation::pid_namespace) {
    constexpr unsigned long own_processes = CLONE_NEWPID | CLONE_NEWNS;
    // Root needs no user namespace, in which the files of other users would belong to nobody.
    if (geteuid() == 0) ways.push_back({Isolation::pid_namespace, own_processes});
    ways.push_back({Isolation::pid_namespace, own_processes | CLONE_NEWUSER});
  }
  ways.push_back({job.isolation == Isolation::sandbox ? Isolation::sandbox : Isolation::process_tree, 0});
  Launched result;
  for (const Way& way : ways) {
    result = attempt(job, way);
    if (result.pid >= 0) break;
  }
  return result;
}

}  // namespace supervisor
