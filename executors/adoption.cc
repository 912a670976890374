#include "executors/adoption.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "executors/supervisor/claim.h"
#include "executors/supervisor/files.h"
#include "executors/supervisor/outcome.h"
#include "executors/supervisor/process_tree.h"

namespace executors {
namespace {

using supervisor::Fd;

Standing ended(kernel::JobOutcome outcome) {
  return {Standing::Kind::ended, std::move(outcome), {}};
}

Standing given_up(const kernel::JobSpec& spec, kernel::JobEnd end, std::string reason) {
  kernel::JobOutcome outcome;
  outcome.run = spec.run;
  outcome.token = spec.token;
  outcome.end = end;
  outcome.reason = std::move(reason);
  outcome.ended_ms = supervisor::wall_ms();
  return ended(std::move(outcome));
}

/// False when some would not die within five seconds.
bool kill_carriers(const std::string& token) {
  for (int round = 0; round < 500; ++round) {
    const std::vector<int> pids = supervisor::carriers(token);
    if (pids.empty()) return true;
    for (int pid : pids) kill(pid, SIGSTOP);
    for (int pid : pids) kill(pid, SIGKILL);
    usleep(10000);
  }
  return false;
}

/// Precondition: we hold the lock, so that a supervisor on its way will find this outcome and leave.
Standing declare_lost(int folder, const kernel::JobSpec& spec) {
  if (!kill_carriers(spec.token)) return {};
  const auto who = read_supervisor(folder);
  const bool rebooted = who && who->boot != supervisor::boot_id();
  supervisor::Outcome outcome;
  outcome.token = spec.token;
  outcome.end = supervisor::End::lost;
  outcome.reason = rebooted ? "the machine was restarted while it ran" : "its supervisor vanished without an outcome";
  outcome.started_ms = who ? who->started_ms : 0;
  outcome.ended_ms = supervisor::wall_ms();
  outcome.isolation = "none";
  supervisor::write_outcome(folder, outcome);
  Standing standing = given_up(spec, kernel::JobEnd::lost, outcome.reason);
  standing.outcome.started_ms = outcome.started_ms;
  return standing;
}

}  // namespace

Standing find_out(const kernel::JobSpec& spec, bool patient) {
  using kernel::JobEnd;
  const Fd folder(open(spec.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return given_up(spec, JobEnd::voided, "it never got a folder");
  const std::string void_mark = std::string(supervisor::void_claim) + spec.token;
  if (supervisor::claim(folder.get(), void_mark) == supervisor::Claiming::won)
    return given_up(spec, JobEnd::voided, "it never started");
  const auto claim = read_claim(folder.get());
  if (!claim) return {};
  if (claim->starts_with(supervisor::void_claim)) return given_up(spec, JobEnd::voided, "it never started");
  if (*claim != spec.token) return given_up(spec, JobEnd::voided, "its folder belongs to another launch");

  if (auto outcome = read_outcome(folder.get(), spec.run, spec.token)) return ended(std::move(*outcome));
  const auto who = read_supervisor(folder.get());
  const bool this_boot = !who || who->boot == supervisor::boot_id();
  const Fd lock = supervisor::take_lock(folder.get(), 0);
  if (!lock) {
    if (!who || !this_boot || supervisor::start_time(who->pid) != who->start) return {};
    return {Standing::Kind::running, {}, *who};
  }
  // It may have ended between the two looks.
  if (auto outcome = read_outcome(folder.get(), spec.run, spec.token)) return ended(std::move(*outcome));
  if (patient && !who) return {};
  return declare_lost(folder.get(), spec);
}

}  // namespace executors
