#include "tests/executors/slurm/fake_cluster.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs/run_program.h"
#include "tests/executors/fixture.h"
#include "tests/places.h"

namespace test {

using executors::JobListing;
using executors::SlurmStage;
using executors::Submission;
using executors::SubmitAnswer;
using executors::Submitting;

FakeCluster::FakeCluster(std::string folder)
    : folder_(std::move(folder)), supervisor_(tests::build_dir() + "/etude-supervisor") {}

FakeCluster::~FakeCluster() {
  for (const Job& job : jobs_)
    if (job.pid > 0) {
      kill(job.pid, SIGKILL);
      waitpid(job.pid, nullptr, 0);
    }
}

SubmitAnswer FakeCluster::submit(const Submission& submission) {
  const std::lock_guard lock(mutex_);
  ++submissions_;
  shapes_.push_back(submission.shape);
  if (mood_ == Mood::silent) return {Submitting::unreachable, "", "Unable to contact slurm controller"};
  if (mood_ == Mood::refuses) return {Submitting::refused, "", "invalid partition specified: nowhere"};
  if (mood_ == Mood::nonsense) return {Submitting::unclear, "", "sbatch answered `hello`, which is no job's number"};
  const std::string number = std::to_string(next_++);
  const std::string script = folder_ + "/script-" + number;
  write(script, executors::batch_script(submission, supervisor_));
  for (std::size_t i = 0; i < submission.folders.size(); ++i) {
    Job job;
    const std::string id = submission.folders.size() > 1 ? number + "_" + std::to_string(i) : number;
    job.known = {submission.token, static_cast<int>(i), id, "PENDING", "None", ""};
    job.script = script;
    jobs_.push_back(job);
    if (!held_) begin(jobs_.back());
  }
  if (mood_ == Mood::takes_silently) return {Submitting::unreachable, "", "Socket timed out on send/recv operation"};
  return {Submitting::accepted, number, ""};
}

void FakeCluster::begin(Job& job) {
  const std::vector<std::string> argv{"/bin/sh", job.script};
  const std::vector<std::string> environment{"PATH=/usr/bin:/bin", "SLURM_JOB_ID=" + job.known.id,
                                             "SLURM_ARRAY_TASK_ID=" + std::to_string(job.known.index),
                                             "SLURMD_NODENAME=n1", "SBATCH_PARTITION=main"};
  if (posix_spawn(&job.pid, argv[0].c_str(), nullptr, nullptr, programs::c_strings(argv).data(),
                  programs::c_strings(environment).data()) != 0)
    job.pid = 0;
  job.known.state = job.pid > 0 ? "RUNNING" : "FAILED";
  job.known.nodes = "n1";
  ++starts_;
}

/// Learns which jobs have ended.
void FakeCluster::look() {
  for (Job& job : jobs_) {
    int status = 0;
    if (job.pid <= 0 || waitpid(job.pid, &status, WNOHANG) != job.pid) continue;
    job.pid = 0;
    if (executors::stage_of(job.known) != SlurmStage::over)
      job.known.state = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "COMPLETED" : "FAILED";
  }
}

JobListing FakeCluster::list() {
  const std::lock_guard lock(mutex_);
  ++listings_;
  if (mood_ == Mood::silent) return {std::nullopt, "Unable to contact slurm controller"};
  look();
  std::vector<executors::SlurmJob> jobs;
  for (const Job& job : jobs_) jobs.push_back(job.known);
  return {std::move(jobs), ""};
}

JobListing FakeCluster::account(const std::vector<std::string>& tokens) {
  const std::lock_guard lock(mutex_);
  ++accountings_;
  if (accounting_ == Accounting::none) return {std::nullopt, "Slurm accounting storage is disabled", false};
  if (accounting_ == Accounting::silent) return {std::nullopt, "Problem talking to the database: Connection refused"};
  std::vector<executors::SlurmJob> jobs;
  for (const executors::SlurmJob& job : accounts_) {
    if (std::ranges::find(tokens, job.token) == tokens.end()) continue;
    jobs.push_back(job);
    if (accounting_ == Accounting::behind) jobs.back().state = "RUNNING";
  }
  return {std::move(jobs), ""};
}

std::optional<std::string> FakeCluster::cancel(const std::vector<std::string>& ids) {
  const std::lock_guard lock(mutex_);
  if (mood_ == Mood::silent) return "Unable to contact slurm controller";
  look();
  for (Job& job : jobs_) {
    if (std::ranges::find(ids, job.known.id) == ids.end() || executors::stage_of(job.known) == SlurmStage::over)
      continue;
    job.known.state = "CANCELLED";
    if (job.pid > 0) kill(job.pid, SIGTERM);
  }
  return std::nullopt;
}

void FakeCluster::be(Mood mood) {
  const std::lock_guard lock(mutex_);
  mood_ = mood;
}

void FakeCluster::hold(bool held) {
  const std::lock_guard lock(mutex_);
  held_ = held;
}

void FakeCluster::release() {
  const std::lock_guard lock(mutex_);
  held_ = false;
  for (Job& job : jobs_)
    if (job.known.state == "PENDING") begin(job);
}

void FakeCluster::end_newest(const std::string& state, bool ask_first) {
  const std::lock_guard lock(mutex_);
  Job& job = jobs_.back();
  if (job.pid > 0) {
    kill(job.pid, ask_first ? SIGTERM : SIGKILL);
    waitpid(job.pid, nullptr, 0);
    job.pid = 0;
  }
  job.known.state = state;
}

void FakeCluster::say(const std::string& state, const std::string& why, const std::string& nodes) {
  const std::lock_guard lock(mutex_);
  jobs_.back().known.state = state;
  jobs_.back().known.why = why;
  jobs_.back().known.nodes = nodes;
}

void FakeCluster::keep_accounts(Accounting accounting) {
  const std::lock_guard lock(mutex_);
  accounting_ = accounting;
}

void FakeCluster::forget() {
  const std::lock_guard lock(mutex_);
  look();
  for (const Job& job : jobs_)
    if (executors::stage_of(job.known) == SlurmStage::over) accounts_.push_back(job.known);
  std::erase_if(jobs_, [](const Job& job) { return executors::stage_of(job.known) == SlurmStage::over; });
}

void FakeCluster::lose_newest() {
  const std::lock_guard lock(mutex_);
  const int pid = jobs_.back().pid;
  if (pid > 0) kill(pid, SIGTERM);
  if (pid > 0) waitpid(pid, nullptr, 0);
  jobs_.pop_back();
}

std::vector<executors::JobShape> FakeCluster::shapes() {
  const std::lock_guard lock(mutex_);
  std::vector<executors::JobShape> shapes = shapes_;
  std::ranges::sort(shapes);
  return shapes;
}
int FakeCluster::listings() {
  const std::lock_guard lock(mutex_);
  return listings_;
}
int FakeCluster::submissions() {
  const std::lock_guard lock(mutex_);
  return submissions_;
}
int FakeCluster::accountings() {
  const std::lock_guard lock(mutex_);
  return accountings_;
}
std::size_t FakeCluster::jobs() {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}
int FakeCluster::starts() {
  const std::lock_guard lock(mutex_);
  return starts_;
}

}  // namespace test
