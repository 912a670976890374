// etude-supervisor FOLDER [LINE]: runs the one job of a run folder and outlives its caller.
// etude-supervisor --resident SOCKET …: starts supervisors on request (resident.h).
// etude-supervisor --status: prints /proc/self/status.
// etude-supervisor --init REPORT PROCESSES COMMAND…: the first process in a sandbox, if there is no separate program.

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/remove_tree.h"
#include "executors/confinement/init.h"
#include "executors/confinement/node_devices.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/resident_messages.h"
#include "executors/run_protocol/run_files.h"
#include "executors/supervisor/file_tree.h"
#include "executors/supervisor/resident.h"
#include "executors/supervisor/watch.h"

namespace supervisor {
namespace {

int signals = -1;
bool off = false;

bool stop_copying() {
  return off = off || called_off(signals);
}

/// Own session and signal mask, no inherited descriptor but the notify pipe.
void detach(int notify) {
  setsid();
  umask(022);
  const unsigned kept = notify < 3 ? 2 : static_cast<unsigned>(notify);
  if (kept > 3) close_descriptors(3, kept - 1);
  close_descriptors(kept + 1);
  if (notify >= 3) fcntl(notify, F_SETFD, FD_CLOEXEC);
  // A missing standard stream would be replaced by the first file opened.
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  close(null);
  sigset_t handled;
  sigemptyset(&handled);
  for (int s : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&handled, s);
  sigprocmask(SIG_SETMASK, &handled, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  signals = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::string make_links(int work, const Job& job) {
  for (const auto& [name, target] : job.links) {
    for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1))
      if (mkdirat(work, name.substr(0, slash).c_str(), 0755) != 0 && errno != EEXIST)
        return name + ": " + error_text(errno);
    if (symlinkat(target.c_str(), work, name.c_str()) != 0) return name + ": " + error_text(errno);
  }
  return {};
}

/// Creates the folders and files that a job finds. Returns the problem, or an empty string.
std::string prepare(int folder, const Job& job) {
  for (const char* name : {work_folder, out_folder, tmp_folder})
    if (mkdirat(folder, name, 0755) != 0 && errno != EEXIST) return std::string(name) + ": " + error_text(errno);
  if (!job.checkpoint.empty() && mkdir(job.checkpoint.c_str(), 0755) != 0 && errno != EEXIST)
    return job.checkpoint + ": " + error_text(errno);
  // A sandbox mounts the file inside, and Landlock allows only what exists.
  if (job.isolation == Isolation::sandbox || job.is_confined()) {
    Fd metrics(openat(folder, metrics_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!metrics) return std::string(metrics_file) + ": " + error_text(errno);
  }
  if (job.workspace.empty()) return {};
  Fd source(open(job.workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!source) return job.workspace + ": " + error_text(errno);
  Fd target(openat(folder, work_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!target) return error_text(errno);
  const std::string problem = copy_tree(source.get(), target.get(), stop_copying);
  return problem.empty() ? make_links(target.get(), job) : problem;
}

Outcome never_started(const Job& job, JobEnd end, Reason reason) {
  Outcome outcome;
  outcome.token = job.token;
  outcome.end = end;
  outcome.reason = std::move(reason);
  outcome.ended_ms = wall_ms();
  outcome.isolation = "none";
  return outcome;
}

Outcome run_job(int folder, int notify, KeptNamespaces& kept, const Job& job) {
  const std::string problem = prepare(folder, job);
  if (stop_copying()) return never_started(job, JobEnd::cancelled, {ReasonCode::job_cancelled_before_start});
  if (!problem.empty() && disk_nearly_full(folder)) return never_started(job, JobEnd::no_room, {ReasonCode::disk_full});
  if (!problem.empty())
    return never_started(job, JobEnd::failed_to_start, {ReasonCode::run_folder_not_prepared, {{"problem", problem}}});
  return watch({folder, signals, notify, kept}, job);
}

Outcome evaluate(int run, KeptNamespaces& kept, const Job& job) {
  const auto refuse = [&job](ReasonCode why, const char* name, std::string value) {
    return never_started(job, JobEnd::failed_to_start, {why, {{name, std::move(value)}}});
  };
  // Without a sandbox the job could have put anything in this place.
  if (mkdirat(run, evaluator_folder, 0755) != 0)
    return refuse(ReasonCode::evaluator_folder_not_made, "error", error_text(errno));
  const Fd folder(openat(run, evaluator_folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const Fd out(openat(run, out_folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || !out) return refuse(ReasonCode::run_folders_not_opened, "error", error_text(errno));
  if (const std::string link = link_leading_out(out.get()); !link.empty())
    return refuse(ReasonCode::output_leads_out, "output", link);
  Outcome outcome = run_job(folder.get(), -1, kept, job);
  kernel::remove_contents(folder.get(), tmp_folder);
  return outcome;
}

/// Merges the outcomes: the run is cancelled, or ended for lack of space, if its evaluation was.
void add_evaluation(Outcome& run, const Outcome& evaluation) {
  run.ended_ms = evaluation.ended_ms;
  run.wall_ms += evaluation.wall_ms;
  run.cpu_us += evaluation.cpu_us;
  run.rss_peak_bytes = std::max(run.rss_peak_bytes, evaluation.rss_peak_bytes);
  run.read_bytes += evaluation.read_bytes;
  run.written_bytes += evaluation.written_bytes;
  run.logs_complete = run.logs_complete && evaluation.logs_complete;
  if (evaluation.end == JobEnd::cancelled || evaluation.end == JobEnd::no_room) {
    run.end = evaluation.end;
    run.reason = evaluation.reason;
    return;
  }
  run.evaluator = {evaluation.end,    evaluation.exit,       evaluation.signal,
                   evaluation.reason, evaluation.started_ms, evaluation.ended_ms};
}

std::string place_of(int folder) {
  char place[PATH_MAX];
  const ssize_t n = readlink(("/proc/self/fd/" + std::to_string(folder)).c_str(), place, sizeof place);
  return n > 0 ? std::string(place, static_cast<std::size_t>(n)) : "";
}

/// A job without a sandbox uses absolute paths of its folder, so it counts as lost if the folder moves.
void judge_place(const std::string& before, int folder, Outcome& outcome) {
  struct stat was {
  }, is{};
  const bool moved =
      stat(before.c_str(), &was) != 0 || fstat(folder, &is) != 0 || was.st_ino != is.st_ino || was.st_dev != is.st_dev;
  const bool by_itself = outcome.end == JobEnd::exited || outcome.end == JobEnd::signalled;
  if (!moved || !by_itself || outcome.started_ms == 0 || outcome.isolation == "sandbox") return;
  outcome.end = JobEnd::lost;
  outcome.reason = {ReasonCode::run_folder_moved};
}

/// The kernel's inputs must be on the disk before an outcome that survives a power cut.
void sync_results(int folder, const Job& job, const Outcome& outcome) {
  if (outcome.durable) {
    Fd metrics(openat(folder, metrics_file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    if (metrics && fstat(metrics.get(), &about) == 0 && about.st_size > 0) fdatasync(metrics.get());
    for (const char* name : {out_folder, work_folder}) sync_tree(folder, name, outcome.started_ms);
    if (outcome.evaluator) sync_tree(folder, evaluator_folder, outcome.started_ms);
  }
  // The next attempt continues from it, even if this outcome is lost; after a success there is no next attempt.
  if (!job.checkpoint.empty() && (outcome.end != JobEnd::exited || outcome.exit != 0))
    sync_tree(folder, job.checkpoint.c_str(), outcome.started_ms);
}

struct Left {
  int status = io_error;     ///< The exit status, if the supervisor leaves now.
  bool undisturbed = false;  ///< The run has an outcome, and its job could not reach this process.
};

Left supervise_run(const char* path, int notify, KeptNamespaces& kept) {
  off = false;
  Fd folder(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (chdir("/") != 0) return {};
  const auto text = folder ? read_file(folder.get(), job_file) : std::nullopt;
  if (!text) return {bad_job};
  auto parsed = parse_job(*text);
  Job* job = std::get_if<Job>(&parsed);
  if (!job) return {bad_job};
  use_node_devices(*job, std::getenv(node_devices_variable));
  const Claiming claiming = claim(folder.get(), own_claim(job->token));
  if (claiming != Claiming::won) return {claiming == Claiming::taken ? claimed_before : io_error};
  // An adopting kernel holds the lock only briefly.
  const Fd lock = take_lock(folder.get(), 1000);
  // An outcome means that the run was given up before we had the lock. A missing job file means that the folder is
  // being removed and that our claim replaced a void one.
  if (!lock || faccessat(folder.get(), outcome_file, F_OK, 0) == 0 || faccessat(folder.get(), job_file, F_OK, 0) != 0)
    return {no_lock};

  const std::string place = place_of(folder.get());
  Outcome outcome = run_job(folder.get(), notify, kept, *job);
  if (!job->evaluation.empty() && outcome.end == JobEnd::exited && outcome.exit == 0)
    add_evaluation(outcome, evaluate(folder.get(), kept, job->evaluation.front()));
  judge_place(place, folder.get(), outcome);
  // Before the outcome, because its sync would delay this.
  kernel::remove_contents(folder.get(), tmp_folder);
  outcome.durable = outcome.wall_ms >= worth_syncing_ms || boot_id().empty() || job->elsewhere > 0;
  if (outcome.started_ms > 0) sync_results(folder.get(), *job, outcome);
  if (!write_outcome(folder.get(), outcome)) return {};
  return {left_outcome, outcome.isolation != name(Isolation::process_tree)};
}

/// False for the pipe of an older executor.
bool carries_folders(int line) {
  int type = 0;
  socklen_t size = sizeof type;
  return line >= 0 && getsockopt(line, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

/// Waits for the executor's next run folder. Empty: it has left, or this process is told to end.
std::string next_folder(int line) {
  char path[PATH_MAX];
  for (;;) {
    pollfd fds[] = {{line, POLLIN, 0}, {signals, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return "";
    if (fds[1].revents && called_off(signals)) return "";
    if (!fds[0].revents) continue;
    const ResidentMessage message = receive_message(line, path);
    return message.cut ? "" : std::string(path, message.size);
  }
}

bool has_no_children() {
  return waitpid(-1, nullptr, WNOHANG | __WALL) < 0 && errno == ECHILD;
}

int supervise(const std::string& folder, int line, const std::function<void(const std::string&)>& show) {
  detach(line);
  // An init lives longer than one run, so it must not show the name of the first.
  KeptNamespaces kept{JobNamespaces([&show] {
                        if (show) show("");
                      }),
                      EmptyNetwork()};
  Left left = supervise_run(folder.c_str(), line, kept);
  if (!show || !carries_folders(line)) return left.status;
  // With a child that could not be killed, the next run would not be alone in its tree.
  while (left.undisturbed && (kept.job.init() > 0 || has_no_children())) {
    show("");
    if (!write_all(line, ended_word)) break;
    const std::string next = next_folder(line);
    if (next.empty()) break;
    show(next);
    left = supervise_run(next.c_str(), line, kept);
  }
  return left.status;
}

int show_status() {
  const auto status = read_file(AT_FDCWD, "/proc/self/status");
  return status && write_all(STDOUT_FILENO, *status) ? 0 : io_error;
}

}  // namespace
}  // namespace supervisor

int main(int argc, char** argv) {
  using namespace supervisor;
  run_init_if_told(argc, argv, environ);
  if (argc == 2 && std::strcmp(argv[1], status_option) == 0) return show_status();
  if (argc == 5 && std::strcmp(argv[1], resident_option) == 0) return serve(argc, argv, supervise);
  if (argc < 2 || argc > 3) return bad_usage;
  return supervise(argv[1], argc == 3 ? std::atoi(argv[2]) : -1, nullptr);
}
