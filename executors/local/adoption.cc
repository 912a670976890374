#include "executors/local/adoption.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "executors/local/supervisor_process.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/outcome.h"
#include "executors/run_protocol/process_tree.h"
#include "executors/run_protocol/run_files.h"

namespace executors {
namespace {

using kernel::ReasonCode;
using supervisor::Fd;

LaunchStanding ended(kernel::JobOutcome outcome) {
  return {LaunchStanding::Kind::ended, std::move(outcome), {}};
}

LaunchStanding not_run(const kernel::JobSpec& spec, kernel::JobEnd end, kernel::Reason reason) {
  return ended(outcome_without_run(spec, end, std::move(reason)));
}

/// False if some did not die within five seconds.
bool kill_carriers(const kernel::LaunchToken& token) {
  for (int round = 0; round < 500; ++round) {
    const std::vector<int> pids = supervisor::carriers(token.text());
    if (pids.empty()) return true;
    for (int pid : pids) kill(pid, SIGSTOP);
    for (int pid : pids) kill(pid, SIGKILL);
    usleep(10000);
  }
  return false;
}

/// Precondition: we hold the lock, so that a supervisor on its way to it will find this outcome and leave.
LaunchStanding declare_lost(int folder, const kernel::JobSpec& spec, const LaunchClaim& claim) {
  if (!kill_carriers(spec.token)) return {LaunchStanding::Kind::unclear, {}, claim};
  const bool rebooted = !claim.boot.empty() && claim.boot != supervisor::boot_id();
  supervisor::Outcome outcome;
  outcome.token = spec.token.text();
  // If there is no room, the supervisor may have ended normally but could not write the outcome.
  const bool no_room = supervisor::disk_nearly_full(folder);
  outcome.end = no_room ? kernel::JobEnd::no_room : kernel::JobEnd::lost;
  outcome.reason = {no_room    ? ReasonCode::disk_full
                    : rebooted ? ReasonCode::machine_restarted
                               : ReasonCode::supervisor_vanished};
  outcome.started_ms = claim.started_ms;
  outcome.ended_ms = supervisor::wall_ms();
  outcome.isolation = "none";
  supervisor::write_outcome(folder, outcome);
  LaunchStanding standing = not_run(spec, outcome.end, outcome.reason);
  standing.outcome.started_ms = outcome.started_ms;
  return standing;
}

/// True if the process that made the claim still exists, even if it does not hold the lock yet.
bool lives(const LaunchClaim& claim) {
  return claim.pid > 0 && claim.boot == supervisor::boot_id() && supervisor::start_time(claim.pid) == claim.start;
}

}  // namespace

kernel::JobOutcome outcome_without_run(const kernel::JobSpec& spec, kernel::JobEnd end, kernel::Reason reason) {
  kernel::JobOutcome outcome;
  outcome.run = spec.run;
  outcome.token = spec.token;
  outcome.end = end;
  outcome.reason = std::move(reason);
  outcome.ended_ms = supervisor::wall_ms();
  return outcome;
}

LaunchStanding find_out(const kernel::JobSpec& spec) {
  using kernel::JobEnd;
  const Fd folder(open(spec.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return not_run(spec, JobEnd::voided, {ReasonCode::no_run_folder});
  // It is written once, as a whole, and nothing of the run goes on after it.
  if (auto outcome = read_outcome(folder.get(), spec.run, spec.token)) return ended(std::move(*outcome));
  const std::string void_mark = std::string(supervisor::void_claim) + spec.token;
  // Checked first, because a claim that loses would create a useless file.
  const bool claimed = faccessat(folder.get(), supervisor::claim_file, F_OK, 0) == 0;
  if (!claimed && supervisor::claim(folder.get(), void_mark + "\n") == supervisor::Claiming::won)
    return not_run(spec, JobEnd::voided, {ReasonCode::never_started});
  const auto claim = read_claim(folder.get());
  if (!claim) return {};
  if (claim->mark == void_mark) return not_run(spec, JobEnd::voided, {ReasonCode::never_started});
  if (claim->mark != spec.token.text()) return not_run(spec, JobEnd::voided, {ReasonCode::folder_of_another_launch});

  const Fd lock = supervisor::take_lock(folder.get(), 0);
  // Only after the lock: its last holder may have written an outcome just before releasing it.
  if (auto outcome = read_outcome(folder.get(), spec.run, spec.token)) return ended(std::move(*outcome));
  if (lives(*claim)) return {lock ? LaunchStanding::Kind::unclear : LaunchStanding::Kind::running, {}, *claim};
  return lock ? declare_lost(folder.get(), spec, *claim) : LaunchStanding{LaunchStanding::Kind::unclear, {}, *claim};
}

bool is_claimed(const kernel::JobSpec& spec) {
  return access((spec.folder + "/" + supervisor::claim_file).c_str(), F_OK) == 0;
}

bool is_over(const std::string& path) {
  const auto text = supervisor::read_file(AT_FDCWD, (path + "/" + supervisor::job_file).c_str());
  const auto job = supervisor::parse_job(text.value_or(""));
  const auto* known = std::get_if<supervisor::Job>(&job);
  if (!known) return true;  // Without a job no supervisor runs anything.
  kernel::JobSpec spec;
  spec.folder = path;
  spec.token = kernel::LaunchToken(known->token);
  return find_out(spec).kind == LaunchStanding::Kind::ended;
}

bool end_stray(const std::string& path) {
  const Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return true;
  supervisor::claim(folder.get(), std::string(supervisor::void_claim) + "\n");
  const auto claim = read_claim(folder.get());
  if (!claim || claim->mark.empty() || claim->mark.starts_with(supervisor::void_claim)) return true;
  // A supervisor that is about to take the lock leaves if there is no job file.
  unlinkat(folder.get(), supervisor::job_file, 0);
  Fd lock = supervisor::take_lock(folder.get(), 0);
  // Kill only the lock's holder: in a copy of a folder the claim names a process of another launch.
  if (!lock && lives(*claim)) {
    signal_process(claim->pid, claim->start, SIGKILL);
    lock = supervisor::take_lock(folder.get(), 5000);
  }
  return lock && kill_carriers(kernel::LaunchToken(claim->mark));
}

}  // namespace executors
