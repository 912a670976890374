#include "executors/supervisor/watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/confinement/init.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/machine_counters.h"
#include "executors/run_protocol/process_tree.h"
#include "executors/run_protocol/run_files.h"
#include "executors/supervisor/job_output.h"
#include "executors/supervisor/launch.h"
#include "executors/supervisor/meter.h"
#include "executors/supervisor/shared_memory.h"

namespace supervisor {
namespace {

/// A run that ends earlier is not announced: its outcome has the time of its start, and the kernel wakes once less.
constexpr std::int64_t announce_after_ms = 5;
/// How long after a job's end by SIGTERM or SIGKILL the same signal may reach us.
constexpr std::int64_t late_call_ms = 200;

/// Real-time priority: among thousands of processes of a fork bomb an ordinary process waits for seconds. Usually only
/// root may have it, and Linux does not limit root's processes. Children never inherit it.
void take_precedence(bool wanted) {
  sched_param priority{};
  priority.sched_priority = wanted ? 1 : 0;
  sched_setscheduler(0, (wanted ? SCHED_RR : SCHED_OTHER) | SCHED_RESET_ON_FORK, &priority);
}

std::int64_t own_us() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) { return std::int64_t{t.tv_sec} * 1000000 + t.tv_usec; };
  return us(used.ru_utime) + us(used.ru_stime);
}

/// A running job. Each member function handles one kind of event.
class Watch {
 public:
  Watch(const Post& post, const Job& job)
      : post_(post),
        job_(job),
        started_ms_(wall_ms()),
        begin_(boot_ms()),
        processors_(processor_time()),
        vmstat_(job.vmstat.empty() ? "/proc/vmstat" : job.vmstat),
        oom_kills_(oom_kills(vmstat_)),
        energy_(job.powercap),
        launched_(launch(job, post.kept)),
        output_(post.folder, launched_),
        meter_(post.folder, job, launched_, used_) {}

  Outcome run() {
    if (launched_.pid < 0) return outcome();
    take_precedence(true);
    while (!child_status_) turn();
    take_precedence(false);
    finish();
    return outcome();
  }

 private:
  void turn();
  bool hear_reports();  ///< False if no report is available now.
  void reap();
  void stop(JobEnd why, Reason reason, bool ask_first);
  void keep_limits();
  void announce();
  void finish();
  void hear_late_call();
  Outcome outcome();
  void judge(Outcome&);
  Reason failure_of_sandbox();

  const Post& post_;
  const Job& job_;
  std::int64_t started_ms_, begin_;
  std::optional<ProcessorTime> processors_, processors_after_;
  std::int64_t load_ms_ = 0;        ///< Time between the two readings.
  std::int64_t own_us_ = own_us();  ///< The supervisor's own use before them.
  std::string vmstat_;
  std::optional<std::int64_t> oom_kills_;  ///< Before the launch.
  EnergyMeter energy_;
  Launched launched_;
  JobOutput output_;
  Meter meter_;
  bool running_ = false;             ///< The command itself was started.
  std::optional<int> child_status_;  ///< Our child has ended, and with it the run.
  std::optional<int> job_status_;    ///< The command's own wait status.
  std::optional<Report> failure_;
  JobEnd stopped_ = JobEnd::exited;  ///< Why we ended it; `exited` if we did not.
  Reason reason_;
  std::int64_t kill_at_ = 0;              ///< 0: no kill is due.
  std::int64_t announce_at_ = INT64_MAX;  ///< When `launched` is due.
  bool all_dead_ = true;
  ReapedUse used_;  ///< By the job and its init.
};

void Watch::turn() {
  const std::int64_t now = boot_ms();
  std::int64_t next = std::min({meter_.due(), energy_.due(), output_.due()});
  if (job_.timeout_ms > 0 && stopped_ == JobEnd::exited) next = std::min(next, begin_ + job_.timeout_ms);
  if (kill_at_ > 0) next = std::min(next, kill_at_);
  next = std::min(next, announce_at_);
  const auto output = output_.awaited();
  pollfd fds[] = {{post_.signals, POLLIN, 0}, {launched_.report.get(), POLLIN, 0}, output[0], output[1], output[2]};
  poll(fds, 5, static_cast<int>(std::clamp<std::int64_t>(next - now, 0, 1000)));
  if (fds[2].revents || fds[3].revents || fds[4].revents) output_.read_ready();
  if (boot_ms() >= output_.due()) output_.write_order();
  if (fds[1].revents) hear_reports();
  if (called_off(post_.signals)) stop(JobEnd::cancelled, {ReasonCode::job_cancelled}, true);
  reap();
  announce();
  keep_limits();
}

void Watch::announce() {
  if (child_status_ || boot_ms() < announce_at_) return;
  announce_at_ = INT64_MAX;
  write_all(post_.notify, "launched " + std::to_string(started_ms_) + "\n");
}

bool Watch::hear_reports() {
  Report report{};
  const ssize_t n = read(launched_.report.get(), &report, sizeof report);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
  bool begins = false;
  if (n != sizeof report) {
    // Outside a sandbox the pipe closes when the command's exec succeeds.
    begins = launched_.isolation != Isolation::sandbox && !failure_;
    launched_.report.reset();
  } else if (report.kind == Report::launched) {
    begins = !failure_;
  } else if (report.kind == Report::ended) {
    job_status_ = report.value;
  } else {
    failure_ = report;
  }
  if (!begins || running_) return true;
  running_ = true;
  if (launched_.isolation == Isolation::sandbox && job_.memory_bytes > 0)
    limit_segments(first_child(launched_.pid), job_.memory_bytes);
  add_started(post_.folder, started_ms_);
  if (post_.notify >= 0) announce_at_ = boot_ms() + announce_after_ms;
  return true;
}

void Watch::reap() {
  int status = 0;
  for (int pid = 0; (pid = supervisor::reap(status, used_)) > 0;)
    if (pid == launched_.pid) child_status_ = status;
}

void Watch::stop(JobEnd why, Reason reason, bool ask_first) {
  if (stopped_ != JobEnd::exited) return;
  stopped_ = why;
  reason_ = std::move(reason);
  kill_at_ = boot_ms();
  // Before the command runs no process can handle SIGTERM.
  if (!ask_first || !running_) return;
  kill_at_ += job_.grace_ms;
  ask_to_stop(launched_.own());
}

void Watch::keep_limits() {
  if (child_status_) return;
  const std::int64_t now = boot_ms();
  if (now >= energy_.due()) energy_.look();
  if (job_.timeout_ms > 0 && now >= begin_ + job_.timeout_ms)
    stop(JobEnd::timed_out, {ReasonCode::job_timed_out, {{"limit_ms", job_.timeout_ms}}}, true);
  if (now >= meter_.due()) {
    Meter::Finding found = meter_.look();
    if (found.end != JobEnd::exited) stop(found.end, std::move(found.reason), false);
  }
  if (kill_at_ > 0 && now >= kill_at_) {
    // The processes of a fork bomb cannot be killed one by one; the namespace dies with its first process.
    if (stopped_ == JobEnd::processes)
      kill(launched_.isolation == Isolation::process_tree ? -launched_.pid
           : launched_.init > 0                           ? launched_.init
                                                          : launched_.pid,
           SIGKILL);
    post_.kept.job.end();
    all_dead_ = (stopped_ == JobEnd::processes && launched_.isolation != Isolation::process_tree &&
                 reap_all_within(10000, used_)) ||
                kill_tree("", running_ ? launched_.own() : OwnProcesses(), used_);
    kill_at_ = 0;
    // Killing the tree has reaped our child, too.
    if (!child_status_) child_status_ = SIGKILL;
  }
}

void Watch::finish() {
  load_ms_ = boot_ms() - begin_;
  if (load_ms_ >= shortest_load_ms) processors_after_ = processor_time();
  const bool sweep = launched_.isolation == Isolation::process_tree;
  const bool clean = launched_.init > 0 && post_.kept.job.is_as_new();
  if (!clean) post_.kept.job.end();
  all_dead_ = clean || kill_tree(sweep ? job_.token : "", {0, launched_.init}, used_);
  energy_.look();
  while (launched_.report && hear_reports()) {
  }
  output_.finish();
  hear_late_call();
}

void Watch::hear_late_call() {
  const int status = job_status_.value_or(child_status_.value_or(0));
  const auto ended_by = [&](int signal) {
    return (WIFSIGNALED(status) && WTERMSIG(status) == signal) ||
           (WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal);
  };
  if ((!ended_by(SIGTERM) && !ended_by(SIGKILL)) || stopped_ != JobEnd::exited) return;
  // Slurm sends it to all processes, and the job may have been the first. SIGKILL ends us before there is an outcome,
  // so that the run counts as lost.
  for (const std::int64_t until = boot_ms() + late_call_ms; boot_ms() < until;) {
    pollfd call{post_.signals, POLLIN, 0};
    poll(&call, 1, static_cast<int>(std::max<std::int64_t>(until - boot_ms(), 0)));
    if (!called_off(post_.signals)) continue;
    stopped_ = JobEnd::cancelled;
    reason_ = {ReasonCode::job_cancelled};
    return;
  }
}

Outcome Watch::outcome() {
  Outcome result;
  result.token = job_.token;
  result.started_ms = started_ms_;
  result.ended_ms = wall_ms();
  result.wall_ms = boot_ms() - begin_;
  result.cpu_us = used_.cpu_us;
  result.load = machine_load(processors_, processors_after_, result.cpu_us + own_us() - own_us_, load_ms_);
  result.rss_peak_bytes = std::max(meter_.memory_peak(), used_.rss_peak_bytes);
  result.usage_over_time = meter_.usage_over_time();
  result.read_bytes = used_.read_bytes;
  result.written_bytes = used_.written_bytes;
  result.logs_complete = output_.complete();
  result.isolation = name(launched_.isolation);
  judge(result);
  if (result.started_ms > 0) {
    result.energy_uj = energy_.used();
    result.energy_from_ms = energy_.from_ms();
    result.energy_to_ms = energy_.to_ms();
    result.energy_missing = energy_.missing();
  }
  if (!all_dead_) result.reason = {ReasonCode::processes_survived, {{"reason", std::vector{result.reason}}}};
  if (result.wall_ms >= worth_syncing_ms) output_.sync();
  return result;
}

void Watch::judge(Outcome& result) {
  if (launched_.isolation != Isolation::sandbox && !job_status_) job_status_ = child_status_;
  if (stopped_ != JobEnd::exited) {
    result.end = stopped_;
    result.reason = reason_;
    return;
  }
  if (launched_.pid < 0 || failure_ || !running_) {
    result.end = JobEnd::failed_to_start;
    result.started_ms = 0;
    result.reason = launched_.problem;
    if (failure_ && failure_->kind == Report::cannot_execute)
      result.reason = {ReasonCode::program_not_started,
                       {{"program", job_.arguments[0]}, {"error", error_text(failure_->value)}}};
    else if (failure_)
      result.reason = {ReasonCode::no_isolation, {{"error", error_text(failure_->value)}}};
    else if (launched_.pid >= 0)
      result.reason = failure_of_sandbox();
    return;
  }
  // Without a report the command was killed together with its sandbox.
  const int status = job_status_.value_or(SIGKILL);
  if (WIFEXITED(status)) {
    result.exit = WEXITSTATUS(status);
    if (result.exit != 0) result.reason = {ReasonCode::exit_status, {{"status", result.exit}}};
  } else {
    result.end = JobEnd::signalled;
    result.signal = WTERMSIG(status);
    const char* known = sigabbrev_np(result.signal);
    result.reason = {ReasonCode::killed_by,
                     {{"signal", known ? "SIG" + std::string(known) : "signal " + std::to_string(result.signal)}}};
  }
  // A shell reports its child's signal as 128 + n.
  const bool killed = result.signal == SIGKILL || result.exit == 128 + SIGKILL;
  if (const auto kills = killed && oom_kills_ ? oom_kills(vmstat_) : std::nullopt; kills && *kills > *oom_kills_) {
    result.end = JobEnd::memory;
    result.reason = {ReasonCode::killed_out_of_memory, {{"end", std::vector{result.reason}}}};
  }
  Meter::Finding last = job_.disk_bytes > 0 ? meter_.look_at_disk() : Meter::Finding{};
  if (last.end != JobEnd::exited) {
    result.end = last.end;
    result.reason = std::move(last.reason);
  } else if (disk_nearly_full(post_.folder)) {
    // The job may have failed for another reason or have written everything. As this is unknown, the outcome must not
    // depend on how it ended.
    result.reason = result.reason.empty()
                        ? Reason{ReasonCode::disk_full}
                        : Reason{ReasonCode::disk_full_at_end, {{"reason", std::vector{result.reason}}}};
    result.end = JobEnd::no_room;
  }
}

Reason Watch::failure_of_sandbox() {
  const std::string text = read_file(post_.folder, "stderr.head").value_or("");
  const std::string line = text.substr(0, std::min<std::size_t>(text.find('\n'), 300));
  if (line.empty()) return {ReasonCode::sandbox_failed_silently};
  return {ReasonCode::sandbox_failed, {{"problem", line}}};
}

}  // namespace

bool called_off(int signals) {
  bool off = false;
  signalfd_siginfo info{};
  while (read(signals, &info, sizeof info) == sizeof info) off |= info.ssi_signo != SIGCHLD;
  return off;
}

Outcome watch(const Post& post, const Job& job) {
  return Watch(post, job).run();
}

}  // namespace supervisor
