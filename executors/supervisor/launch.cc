#include "executors/supervisor/launch.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executors/confinement/confinement.h"
#include "executors/confinement/init.h"
#include "executors/confinement/sealed_devices.h"
#include "executors/run_protocol/run_files.h"
#include "executors/supervisor/write_signals.h"

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

/// The option with which bubblewrap makes no network.
constexpr std::string_view share_network = "--share-net";

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
  unblock_write_signals();
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

/// `network`: null if bubblewrap makes the network, or the job uses the machine's.
[[noreturn]] void become_bwrap(const Job& job, const Pipes& pipes, const EmptyNetwork* network) {
  settle(pipes);
  if (network && !network->enter()) network = nullptr;
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
  if (network) add(share_network);
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

/// `namespaces`: null for a process tree.
[[noreturn]] void become_command(const Job& job, const Pipes& pipes, const JobNamespaces* namespaces) {
  const int report = pipes.report[1].get();
  settle(pipes);
  // A separate group, so that `kill 0` stays within the job; a session would only cost time.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (namespaces && !namespaces->enter()) give_up(report);
  // Without its own user namespace the limit would count all processes of the user.
  if (namespaces && namespaces->has_new_user()) limit_processes(job.processes);
  // Only now: a confined process enters nothing.
  if (job.is_confined() && (errno = confine(job)) != 0) give_up(report);
  execute(report, job.offline ? Walls::offline : Walls::none, pointers(job.arguments).data(),
          pointers(job.environment).data(), job.directory.c_str());
}

int start_bwrap(const Job& job, const Pipes& pipes, const EmptyNetwork* network) {
  // bubblewrap replaces the child at once, so until then it can share our memory.
  const int pid = vfork();
  if (pid == 0) become_bwrap(job, pipes, network);
  return pid;
}

int start_command(const Job& job, const Pipes& pipes, JobNamespaces* namespaces) {
  const int pid = namespaces ? namespaces->fork() : fork();
  if (pid == 0) become_command(job, pipes, namespaces);
  return pid;
}

/// `inside`: null, unless the isolation is a PID namespace. `network`: as for `become_bwrap`.
Launched start(const Job& job, Isolation isolation, JobNamespaces* inside, const EmptyNetwork* network = nullptr) {
  Launched result;
  result.isolation = isolation;
  Pipes pipes;
  if (!open_pipe(pipes.out) || !open_pipe(pipes.err) || !open_pipe(pipes.report)) {
    result.problem = {ReasonCode::no_pipes, {{"error", error_text(errno)}}};
    return result;
  }
  // The job's first lines have an order, too.
  block_write_signals();
  begin_signals(pipes.out[0].get(), pipes.out[1].get());
  begin_signals(pipes.err[0].get(), pipes.err[1].get());
  result.pid = isolation == Isolation::sandbox ? start_bwrap(job, pipes, network) : start_command(job, pipes, inside);
  if (result.pid < 0) {
    result.problem = {ReasonCode::no_new_process, {{"error", error_text(errno)}}};
    return result;
  }
  pipes.report[1].reset();
  if (inside) result.init = inside->init();
  fcntl(pipes.report[0].get(), F_SETFL, O_NONBLOCK);
  result.out = std::move(pipes.out[0]);
  result.err = std::move(pipes.err[0]);
  result.out_writes = std::move(pipes.out[1]);
  result.err_writes = std::move(pipes.err[1]);
  result.report = std::move(pipes.report[0]);
  return result;
}

/// Whether there are namespaces for the job, old or new ones.
bool have_namespaces(JobNamespaces& namespaces) {
  // Root needs no user namespace, in which the files of other users would belong to nobody.
  return namespaces.is_alive() || (geteuid() == 0 && namespaces.make(false)) || namespaces.make(true);
}

}  // namespace

Launched launch(const Job& job, KeptNamespaces& kept) {
  if (job.isolation == Isolation::pid_namespace && have_namespaces(kept.job)) {
    Launched inside = start(job, Isolation::pid_namespace, &kept.job);
    if (inside.pid >= 0) return inside;
  }
  // Only the job's own processes may be in its tree.
  kept.job.end_and_wait();
  if (job.isolation != Isolation::sandbox) return start(job, Isolation::process_tree, nullptr);
  const bool is_alone = std::ranges::find(job.bwrap_arguments, share_network) == job.bwrap_arguments.end();
  return start(job, Isolation::sandbox, nullptr, is_alone && kept.network.is_ready() ? &kept.network : nullptr);
}

}  // namespace supervisor
