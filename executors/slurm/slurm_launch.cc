#include "executors/slurm/slurm_launch.h"

#include <algorithm>
#include <cctype>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "executors/local/adoption.h"
#include "executors/local/run_folder.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/outcome.h"
#include "executors/run_protocol/run_files.h"

namespace executors {
namespace {

using kernel::JobEnd;
using kernel::JobOutcome;
using kernel::Reason;
using kernel::ReasonCode;
using supervisor::Fd;

Fd open_folder(const kernel::JobSpec& at) {
  return Fd(open(at.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// How Slurm ended a job that had begun, in the kernel's terms.
struct SlurmEnd {
  JobEnd end;
  std::string why;
};

SlurmEnd end_of(const SlurmJob* job) {
  if (!job) return {JobEnd::lost, "Slurm does not know its job any more"};
  const std::string where = job->nodes.empty() ? "" : " on " + job->nodes;
  const auto said = [&](const char* what) {
    return fmt::format("{} (Slurm job {}{}: {})", what, job->id, where, job->state);
  };
  if (stage_of(*job) == SlurmStage::waits)
    return {JobEnd::lost, said("it was put back into Slurm's queue while it ran")};
  if (job->state == "TIMEOUT" || job->state == "DEADLINE")
    return {JobEnd::timed_out, said("Slurm's time limit ended it")};
  if (job->state == "OUT_OF_MEMORY") return {JobEnd::memory, said("Slurm ended it for its memory")};
  if (job->state == "CANCELLED") return {JobEnd::cancelled, said("its Slurm job was cancelled, not by etude")};
  if (job->state == "PREEMPTED") return {JobEnd::lost, said("it was preempted")};
  if (job->state == "NODE_FAIL" || job->state == "BOOT_FAIL") return {JobEnd::lost, said("its node failed")};
  return {JobEnd::lost, said("its supervisor vanished without an outcome")};
}

/// What the script or the supervisor said before it began, on one line.
std::string launch_errors(int folder) {
  return as_one_line(supervisor::read_file(folder, "launch-errors", 4096).value_or(""));
}

/// The end of a launch that no supervisor has claimed. Precondition: it has a void claim.
JobOutcome never_began(const kernel::JobSpec& at, int folder, const SlurmJob* job) {
  // One that had a node and yet did not begin was cancelled by Slurm, whose node could not start it: a controller that
  // was killed gives the numbers of jobs anew, and a node refuses a number that it still knows.
  if (job && job->state == "CANCELLED" && job->nodes.empty())
    return outcome_without_run(at, JobEnd::cancelled, kernel::as_said(end_of(job).why));
  if (job && never_starts(*job))
    return outcome_without_run(
        at, JobEnd::failed_to_start,
        kernel::as_said(
            fmt::format("Slurm will never start it ({}): change time, constraint or partition in the section "
                        "`executor` of the configuration",
                        job->why)));
  if (job && (job->state == "FAILED" || job->state == "COMPLETED")) {
    const std::string said = launch_errors(folder);
    return outcome_without_run(
        at, JobEnd::failed_to_start,
        kernel::as_said(fmt::format(
            "it could not start on {}: {}", job->nodes.empty() ? "its node" : job->nodes,
            said.empty() ? "the node does not see " + at.folder + ": name a shared folder that every node sees"
                         : said)));
  }
  return outcome_without_run(at, JobEnd::voided, {ReasonCode::never_started});
}

}  // namespace

std::optional<JobOutcome> outcome_left(const kernel::JobSpec& at) {
  const Fd folder = open_folder(at);
  return folder ? read_outcome(folder.get(), at.run, at.token) : std::nullopt;
}

bool asks_for_record(const JobOutcome& outcome) {
  return outcome.end == JobEnd::cancelled;
}

JobOutcome with_reason_of(const SlurmJob* job, JobOutcome outcome) {
  SlurmEnd end = end_of(job);
  // A job that ended on its own while Slurm was about to stop it has the outcome that it reached.
  if (job && (job->state == "COMPLETED" || job->state == "FAILED")) return outcome;
  outcome.end = end.end;
  outcome.reason = kernel::as_said(std::move(end.why));
  return outcome;
}

std::optional<JobOutcome> call_off(const kernel::JobSpec& at) {
  const Fd folder = open_folder(at);
  const std::string mark = std::string(supervisor::void_claim) + at.token;
  if (folder && supervisor::claim(folder.get(), mark + "\n") != supervisor::Claiming::won) {
    const auto claim = read_claim(folder.get());
    if (!claim || claim->mark != mark) return std::nullopt;
  }
  return outcome_without_run(at, JobEnd::cancelled, {ReasonCode::job_cancelled_before_start});
}

std::optional<JobOutcome> end_without_outcome(const kernel::JobSpec& at, const SlurmJob* job, bool surely) {
  const Fd folder = open_folder(at);
  if (!folder) return outcome_without_run(at, JobEnd::voided, {ReasonCode::no_run_folder});
  const std::string mark = std::string(supervisor::void_claim) + at.token;
  if (supervisor::claim(folder.get(), mark + "\n") == supervisor::Claiming::won)
    return never_began(at, folder.get(), job);
  const auto claim = read_claim(folder.get());
  if (!claim) return std::nullopt;
  if (claim->mark == mark) return never_began(at, folder.get(), job);
  if (claim->mark != at.token.text())
    return outcome_without_run(at, JobEnd::voided, {ReasonCode::folder_of_another_launch});
  // A node that Slurm cannot reach may still run the job, and its file system may show an outcome late.
  const Fd lock = supervisor::take_lock(folder.get(), 0);
  if (!lock && !surely) return std::nullopt;
  if (auto outcome = read_outcome(folder.get(), at.run, at.token)) return with_reason_of(job, std::move(*outcome));
  supervisor::Outcome ended;
  ended.token = at.token.text();
  SlurmEnd end = end_of(job);
  const bool no_room = end.end == JobEnd::lost && supervisor::disk_nearly_full(folder.get());
  ended.end = no_room ? JobEnd::no_room : end.end;
  ended.reason = no_room ? Reason{ReasonCode::disk_full} : kernel::as_said(std::move(end.why));
  ended.started_ms = claim->started_ms;
  ended.ended_ms = supervisor::wall_ms();
  ended.isolation = "none";
  // A supervisor that begins late finds it and leaves.
  supervisor::write_outcome(folder.get(), ended);
  JobOutcome outcome = outcome_without_run(at, ended.end, ended.reason);
  outcome.started_ms = claim->started_ms;
  return outcome;
}

std::string node_of(const kernel::JobSpec& at) {
  const Fd folder = open_folder(at);
  constexpr std::size_t longest = 256;
  const std::string name =
      folder ? KeyLines(supervisor::read_file(folder.get(), "node", longest).value_or("")).text("node") : "";
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_'; };
  return name != "unknown" && std::ranges::all_of(name, is_plain) ? name : "";
}

std::int64_t started_at(const kernel::JobSpec& at) {
  const Fd folder = open_folder(at);
  const auto claim = folder ? read_claim(folder.get()) : std::nullopt;
  return claim ? claim->started_ms : 0;
}

bool has_begun(const kernel::JobSpec& at) {
  const Fd folder = open_folder(at);
  const auto claim = folder ? read_claim(folder.get()) : std::nullopt;
  return claim && claim->mark == at.token.text();
}

}  // namespace executors
