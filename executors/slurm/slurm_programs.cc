#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <unistd.h>

#include "executors/slurm/slurm_client.h"
#include "executors/slurm/slurm_command.h"

namespace executors {
namespace {

using programs::ProgramOutput;

constexpr std::size_t most_listing = 64 << 20;

/// This user's jobs. `words`: further options of squeue.
JobListing listed(std::vector<std::string> words) {
  for (std::string word : {std::string("--noheader"), std::string("--array"), std::string("--states=all"),
                           fmt::format("--user={}", geteuid()), std::string("--format=") + squeue_format})
    words.push_back(std::move(word));
  const ProgramOutput output = ask_slurm("squeue", words, "", most_listing);
  if (output.exit != 0) {
    const std::string said = as_one_line(output.err);
    return {std::nullopt, said.empty() ? "squeue: " + output.why : said};
  }
  if (output.cut) return {std::nullopt, "squeue lists more than can be read"};
  auto jobs = read_squeue(output.out);
  if (!jobs) return {std::nullopt, "squeue answered what cannot be read: `" + as_one_line(output.out) + "`"};
  return {std::move(jobs), ""};
}

class SlurmPrograms : public SlurmClient {
 public:
  SlurmPrograms(config::ExecutorSettings settings, std::string supervisor)
      : settings_(std::move(settings)), supervisor_(std::move(supervisor)) {}

  SubmitAnswer submit(const Submission& submission) override {
    const ProgramOutput output =
        ask_slurm("sbatch", sbatch_words(submission, settings_), batch_script(submission, supervisor_));
    return read_sbatch(output.exit, output.out, output.exit ? output.err : output.err + "\n" + output.why);
  }

  JobListing list() override { return listed({}); }

  JobListing account(const std::vector<std::string>& tokens) override {
    if (find_slurm("sacct").empty()) return {std::nullopt, "sacct is not on PATH", false};
    std::string names;
    for (const std::string& token : tokens) names += (names.empty() ? "" : ",") + job_name(token);
    const ProgramOutput output =
        ask_slurm("sacct",
                  {"--noheader", "--parsable2", "--allocations", "--duplicates", "--starttime=now-30days",
                   "--name=" + names, std::string("--format=") + sacct_format},
                  "", most_listing);
    if (output.exit != 0) {
      const std::string said = as_one_line(output.err);
      return {std::nullopt, said.empty() ? "sacct: " + output.why : said,
              !output.exit || passes_by_waiting(output.err)};
    }
    auto jobs = read_sacct(output.out);
    if (!jobs) return {std::nullopt, "sacct answered what cannot be read: `" + as_one_line(output.out) + "`", false};
    return {std::move(jobs), ""};
  }

  std::optional<std::string> cancel(const std::vector<std::string>& ids) override {
    const ProgramOutput output = ask_slurm("scancel", ids);
    // It ends with 1 for jobs that have ended.
    if (output.exit && (*output.exit == 0 || !passes_by_waiting(output.err))) return std::nullopt;
    const std::string said = as_one_line(output.err);
    return said.empty() ? "scancel: " + output.why : said;
  }

 private:
  const config::ExecutorSettings settings_;
  const std::string supervisor_;
};

kernel::Problem refused(const config::ExecutorSettings& settings, std::string what, std::string why, std::string todo) {
  return {settings.file, 0, std::move(what), std::move(why), std::move(todo), true};
}

/// Lines of `sinfo --format=%P|%C`: partition, and its processors as allocated/idle/other/total.
struct Partitions {
  std::map<std::string, int> cpus, away;  ///< `away`: those of nodes that are drained, down or reserved.
  std::string usual;                      ///< The one without a name; may be empty.
};
std::optional<Partitions> read_sinfo(std::string_view lines) {
  Partitions found;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t bar = line.find('|'), slash = line.rfind('/');
    if (bar == line.npos || slash == line.npos || slash < bar) return std::nullopt;
    std::string name(line.substr(0, bar));
    if (name.ends_with('*')) {
      name.pop_back();
      found.usual = name;
    }
    const std::size_t before = line.rfind('/', slash - 1);
    int cpus = 0, away = 0;
    if (before == line.npos || before < bar ||
        std::from_chars(line.data() + slash + 1, line.data() + line.size(), cpus).ec != std::errc() ||
        std::from_chars(line.data() + before + 1, line.data() + slash, away).ec != std::errc())
      return std::nullopt;
    found.cpus[name] += cpus;
    found.away[name] += away;
  }
  return found;
}

}  // namespace

std::unique_ptr<SlurmClient> slurm_programs(config::ExecutorSettings settings, std::string supervisor) {
  return std::make_unique<SlurmPrograms>(std::move(settings), std::move(supervisor));
}

kernel::Result<ClusterFacts> look_at_cluster(const config::ExecutorSettings& settings) {
  for (const char* program : {"sbatch", "squeue", "scancel", "sinfo"})
    if (find_slurm(program).empty())
      return refused(settings, "executor slurm", std::string("there is no ") + program + " on PATH",
                     "run etude where jobs are submitted, or load the module that has Slurm's programs");
  ClusterFacts facts;
  const ProgramOutput sinfo = ask_slurm("sinfo", {"--noheader", "--format=%P|%C"});
  if (sinfo.exit != 0) {
    if (!sinfo.exit || passes_by_waiting(sinfo.err)) return facts;
    return refused(settings, "executor slurm", "sinfo: " + as_one_line(sinfo.err), "see whether `sinfo` works here");
  }
  const auto partitions = read_sinfo(sinfo.out);
  if (!partitions || partitions->cpus.empty())
    return refused(settings, "executor slurm", "sinfo answered what cannot be read: `" + as_one_line(sinfo.out) + "`",
                   "see whether `sinfo` on PATH is Slurm's own");
  facts.answers = true;
  std::string names;
  for (const auto& [name, cpus] : partitions->cpus) names += (names.empty() ? "" : ", ") + name;
  const std::string wanted = settings.partition.empty() ? partitions->usual : settings.partition;
  const auto own = partitions->cpus.find(wanted);
  if (own != partitions->cpus.end()) facts.cpus = own->second;
  // Several partitions may be named; sbatch judges them.
  if (own == partitions->cpus.end() && !settings.partition.empty() && wanted.find(',') == wanted.npos)
    return refused(settings, "executor.partition", "Slurm has no partition `" + wanted + "`", "it has: " + names);
  std::vector<std::string> words{"--test-only", "--ntasks=1", "--chdir=/"};
  for (std::string& word : placing_words(settings)) words.push_back(std::move(word));
  const ProgramOutput test = ask_slurm("sbatch", words, "#!/bin/sh\nexit 0\n");
  // Nodes that are drained count as none, until they are back.
  const bool may_come_back = own != partitions->cpus.end() && partitions->away.at(wanted) > 0 &&
                             test.err.find("Requested node configuration is not available") != std::string::npos;
  if (test.exit && *test.exit != 0 && !passes_by_waiting(test.err) && !may_come_back)
    return refused(settings, "executor slurm", "Slurm would refuse every job: " + as_one_line(test.err),
                   "correct partition, account, qos, constraint or flags in the section `executor`");
  return facts;
}

void cancel_job(const std::string& token, int index) {
  const JobListing listing = listed({"--name=" + job_name(token)});
  if (!listing.jobs) return;
  for (const SlurmJob& job : *listing.jobs)
    if (job.token == token && job.index == index && stage_of(job) != SlurmStage::over) ask_slurm("scancel", {job.id});
}

}  // namespace executors
