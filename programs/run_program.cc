#include "programs/run_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

// Linux has vfork, but the library's own test for it fails when _GNU_SOURCE is defined.
#define BOOST_POSIX_HAS_VFORK 1

#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/group.hpp>
#include <boost/process/posix.hpp>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

// Boost.Process starts, groups and reaps. These parts of it (version 1.74) are not used, for these reasons:
// - `child::wait_for` replaces the process's handler of SIGCHLD and waits with `sigtimedwait`, which takes the signals
//   of other threads' children: those threads then wait until their time-out. `poll` on a pidfd waits here.
// - `pipe`, `std_in < file` and the pipe that reports a failed `execve` are made without O_CLOEXEC. A program that
//   another thread starts meanwhile inherits them, and the reader waits for the end of that program. Pipes are made
//   here with O_CLOEXEC, and `ignore_error` turns off the pipe of the library.
// - `start_dir` ignores a failure of `chdir`, and the program would run in a wrong folder.
// - `args` calls `front()` of each argument, which is undefined for an empty one.
// - `limit_handles` lists /dev/fd in the child before it executes the program, which allocates memory.
// - A child that could not be executed is not always reaped.

namespace programs {
namespace {

namespace bp = boost::process;
using Clock = std::chrono::steady_clock;
using kernel::Fd;

constexpr std::size_t most_errors = 64 << 10;
constexpr std::chrono::milliseconds without_pidfd(5);  ///< How often the end is looked for, on kernels without pidfds.

std::string error_text(int error) {
  return std::generic_category().message(error);
}

/// A copy that is none of 0, 1 and 2, which may be closed in this process: the child puts its streams there.
Fd above_streams(int fd) {
  return Fd(fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

struct Pipe {
  Fd read, write;

  /// False with errno.
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const Fd first(ends[0]), second(ends[1]);
    read = above_streams(first.get());
    write = above_streams(second.get());
    return read && write;
  }
};

/// A file in memory: the program reads as much as it likes, and no thread has to feed it.
Fd file_of(const std::string& bytes) {
  const Fd file(memfd_create("input", MFD_CLOEXEC));
  if (!file) return Fd();
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = write(file.get(), bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno != EINTR) return Fd();
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  return lseek(file.get(), 0, SEEK_SET) == 0 ? above_streams(file.get()) : Fd();
}

Fd input_of(const Program& program) {
  if (const auto* bytes = std::get_if<std::string>(&program.in)) return file_of(*bytes);
  if (const auto* file = std::get_if<OpenFile>(&program.in)) return above_streams(file->descriptor);
  const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  return nothing ? above_streams(nothing.get()) : Fd();
}

/// All signals are held back in this thread, so that none reaches a handler of ours in the child.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

/// What the child says when it cannot become the program.
struct Refusal {
  int error = 0;
  bool of_directory = false;
};

/// What the child does between vfork and exec. It shares our memory and changes nothing in it; this thread waits. (With
/// fork, the copy of a large process's page tables would take much longer than most helper programs.)
struct Start : bp::extend::handler {
  const char* path = nullptr;
  const char* directory = nullptr;
  char** arguments = nullptr;
  char** environment = nullptr;
  std::array<int, 3> streams{};
  int report = -1;
  int* fork_error = nullptr;

  template <class Executor>
  void on_setup(Executor& executor) const {
    executor.exe = path;
    executor.cmd_line = arguments;
    executor.env = environment;
  }

  template <class Executor>
  void on_fork_error(Executor&, const std::error_code& error) const {
    *fork_error = error.value();
  }

  template <class Executor>
  void on_exec_setup(Executor&) const {
    for (int i = 0; i < 3; ++i)
      if (dup2(streams[static_cast<std::size_t>(i)], i) < 0) refuse(errno, false);
    close_others();
    if (chdir(directory) != 0) refuse(errno, true);
    struct sigaction action {};
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    for (int s = 1; s < NSIG; ++s)  // A server ignores SIGPIPE; its helpers must not.
      if (sigaction(s, nullptr, &action) == 0 && (s == SIGPIPE || action.sa_handler != SIG_IGN))
        sigaction(s, &by_default, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  template <class Executor>
  void on_exec_error(Executor&, const std::error_code& error) const {
    refuse(error.value(), false);
  }

 private:
  [[noreturn]] void refuse(int error, bool of_directory) const {
    const Refusal refusal{error, of_directory};
    const ssize_t written = write(report, &refusal, sizeof refusal);
    _exit(written == sizeof refusal ? 127 : 126);
  }

  /// Libraries may have opened some without O_CLOEXEC.
  static void close_others() {
    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) == 0) return;
    constexpr long most = 1 << 16;
    const long end = std::clamp(sysconf(_SC_OPEN_MAX), 1024l, most);  // A kernel before Linux 5.11.
    for (int fd = 3; fd < end; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
};

/// The program while it runs. Whatever happens, its group is killed and it is reaped.
class Running {
 public:
  Running() = default;
  ~Running() { end(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  std::optional<kernel::Problem> start(const Program& program, const Fd& in, const Fd& out, const Fd& err) {
    Pipe report;
    if (!report.open()) return kernel::Problem{"", 0, program.argv[0], error_text(errno), "", true};
    const std::vector<std::string> variables = assignments(program.environment);
    std::vector<char*> arguments = c_strings(program.argv), environment = c_strings(variables);
    int fork_error = 0;
    Start start;
    start.path = program.argv[0].c_str();
    start.directory = program.directory.c_str();
    start.arguments = arguments.data();
    start.environment = environment.data();
    start.streams = {in.get(), out.get(), err.get()};
    start.report = report.write.get();
    start.fork_error = &fork_error;
    {
      const SignalsHeld held;
      child_ = bp::child(group_, bp::ignore_error, bp::posix::use_vfork, start);
    }
    report.write = Fd();
    if (!child_.valid()) return kernel::Problem{"", 0, program.argv[0], error_text(fork_error), "", true};
    // The pipe is closed by a successful exec. By then the child is in its group.
    Refusal refusal;
    ssize_t n = 0;
    while ((n = read(report.read.get(), &refusal, sizeof refusal)) < 0 && errno == EINTR) {
    }
    if (n == sizeof refusal)
      return kernel::Problem{"", 0, refusal.of_directory ? program.directory : program.argv[0],
                             error_text(refusal.error), ""};
    pidfd_ = Fd(static_cast<int>(syscall(SYS_pidfd_open, child_.id(), 0)));
    return std::nullopt;
  }

  /// Readable when the program has ended; -1 on kernels that have none.
  int pidfd() const { return pidfd_.get(); }

  /// Does not reap: until then no other process or group can have its number.
  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child_.id()), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
  }

  /// Kills what is left of the group and reaps the program. Its wait status; nothing if another has reaped it.
  std::optional<int> end() {
    if (!child_.valid() || ended_) return std::nullopt;
    ended_ = true;
    std::error_code error;
    group_.terminate(error);
    child_.wait(error);
    if (error) return std::nullopt;
    return child_.native_exit_code();
  }

 private:
  bp::group group_;
  bp::child child_;
  Fd pidfd_;
  bool ended_ = false;
};

/// One of the program's output streams, as far as it is kept.
struct Stream {
  Fd& fd;
  std::string& text;
  std::size_t most;
  bool cut = false;

  /// Takes what is there, after `poll` has said that there is something.
  void take() {
    char buffer[16384];
    const ssize_t n = read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      const std::size_t size = static_cast<std::size_t>(n), kept = std::min(size, most - text.size());
      text.append(buffer, kept);
      cut = cut || kept < size;
    } else if (n == 0 || errno != EINTR) {
      fd = Fd();
    }
  }
};

std::string seconds_text(std::chrono::milliseconds limit) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count()) + " s";
}

/// Reads until the program has answered. False if it has to be killed: `output` says why.
bool listen(const Program& program, const Running& running, Fd& out, Fd& err, ProgramOutput& output) {
  const Clock::time_point deadline = Clock::now() + program.limit;
  Stream first{out, output.out, program.most_output}, second{err, output.err, most_errors};
  bool ended = false;
  while (!ended || first.fd || second.fd) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    output.timed_out = left.count() <= 0;
    if (output.timed_out) break;
    const int patience = static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX));
    const bool must_look = !ended && running.pidfd() < 0;
    std::array<pollfd, 3> fds{pollfd{first.fd.get(), POLLIN, 0}, pollfd{second.fd.get(), POLLIN, 0},
                              pollfd{ended ? -1 : running.pidfd(), POLLIN, 0}};
    poll(fds.data(), fds.size(), must_look ? std::min(patience, static_cast<int>(without_pidfd.count())) : patience);
    if (first.fd && fds[0].revents) first.take();
    if (second.fd && fds[1].revents) second.take();
    ended = ended || running.has_ended();
    output.cut = first.cut;
    if (output.cut && program.excess == Excess::kill) break;
  }
  if (output.timed_out)
    output.why = "no answer within " + seconds_text(program.limit);
  else if (output.cut && program.excess == Excess::kill)
    output.why = "it says more than " + std::to_string(program.most_output >> 20) + " MiB";
  return output.why.empty();
}

}  // namespace

kernel::Result<ProgramOutput> run_program(const Program& program) {
  const auto refused = [&](int error) { return kernel::Problem{"", 0, program.argv[0], error_text(error), "", true}; };
  Pipe out, err;
  if (!out.open() || !err.open()) return refused(errno);
  Fd in = input_of(program);
  if (!in) return refused(errno);
  Running running;
  if (auto problem = running.start(program, in, out.write, err.write)) return *std::move(problem);
  in = Fd();
  out.write = Fd();
  err.write = Fd();

  ProgramOutput output;
  const bool answered = listen(program, running, out.read, err.read, output);
  const std::optional<int> status = running.end();
  if (status && WIFSIGNALED(*status)) output.signal = WTERMSIG(*status);
  if (!answered) return output;
  if (!status)
    output.why = "its exit status is not known";
  else if (WIFEXITED(*status))
    output.exit = WEXITSTATUS(*status);
  else
    output.why = "killed by signal " + std::to_string(*output.signal);
  return output;
}

const std::string& why_no_exit(const kernel::Result<ProgramOutput>& ran) {
  return ran ? ran->why : ran.problem().why;
}

std::vector<char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> assignments(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> list;
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string variable(const std::map<std::string, std::string>& environment, const std::string& name,
                     const std::string& otherwise) {
  const auto found = environment.find(name);
  return found == environment.end() ? otherwise : found->second;
}

}  // namespace programs
