#include "executors/slurm/slurm_text.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "executors/slurm/slurm_probe.h"
#include "programs/run_program.h"
#include "tests/executors/fixture.h"

using namespace executors;

TEST_CASE("sbatch gets the shape of the jobs, their token twice, and what the configuration says") {
  config::ExecutorSettings settings;
  settings.partition = "gpu";
  settings.account = "lab";
  settings.qos = "long";
  settings.constraint = "skylake";
  settings.gpu_type = "a100";
  settings.gres = "scratch:1";
  settings.flags = {"--exclusive"};
  const Submission submission{"abc", {4, 2, (std::int64_t{1} << 30) + 1, 90, "n7"}, {"/s/r1", "/s/r2", "/s/r3"}};
  CHECK(sbatch_words(submission, settings) == std::vector<std::string>{"--parsable",
                                                                       "--no-requeue",
                                                                       "--job-name=etude-abc",
                                                                       "--comment=etude-abc",
                                                                       "--chdir=/",
                                                                       "--output=/dev/null",
                                                                       "--error=/dev/null",
                                                                       "--nodes=1",
                                                                       "--ntasks=1",
                                                                       "--cpus-per-task=4",
                                                                       "--mem=1025M",
                                                                       "--time=90",
                                                                       "--nodelist=n7",
                                                                       "--gres=scratch:1,gpu:a100:2",
                                                                       "--array=0-2",
                                                                       "--partition=gpu",
                                                                       "--account=lab",
                                                                       "--qos=long",
                                                                       "--constraint=skylake",
                                                                       "--exclusive"});
  // A study's own type comes before the configuration's.
  Submission typed{"abc", {4, 2}, {"/s/r1"}};
  typed.shape.gpu_type = "h100";
  const std::vector<std::string> with_type = sbatch_words(typed, settings);
  CHECK(std::ranges::find(with_type, "--gres=scratch:1,gpu:h100:2") != with_type.end());
  const std::vector<std::string> plain = sbatch_words({"abc", {}, {"/s/r1"}}, {});
  for (const std::string& word : plain) CHECK_FALSE(word.starts_with("--array"));
}

TEST_CASE("the script becomes the supervisor of the task's folder, whatever the folder is called") {
  const std::string script = batch_script({"abc", {}, {"/s/it's $HOME", "/s/r2"}}, "/s/etude-supervisor");
  CHECK(script.starts_with("#!/bin/sh\n"));
  CHECK(script.find("0) run='/s/it'\\''s $HOME' ;;") != std::string::npos);
  CHECK(script.find("exec env -i PATH=/usr/bin:/bin ") != std::string::npos);
}

TEST_CASE("an answer of sbatch is a number, a refusal, or a reason to wait; anything else is no answer") {
  CHECK(read_sbatch(0, "123\n", "").kind == Submitting::accepted);
  CHECK(read_sbatch(0, "123;cluster\n", "").job == "123");
  for (const char* nonsense : {"", "hello\n", "12 34\n", "-1\n"})
    CHECK(read_sbatch(0, nonsense, "").kind == Submitting::unclear);
  CHECK(read_sbatch(std::nullopt, "", "no answer within 30 s").kind == Submitting::unreachable);
  for (const char* later :
       {"sbatch: error: Unable to contact slurm controller (connect failure)",
        "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
        "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size "
        "and/or time limits)",
        "sbatch: error: Munge encode failed: Failed to access \"/run/munge/munge.socket.2\": No such file or "
        "directory"})
    CHECK(read_sbatch(1, "", later).kind == Submitting::unreachable);
  const SubmitAnswer refused = read_sbatch(
      1, "",
      "sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid partition "
      "name specified\n");
  CHECK(refused.kind == Submitting::refused);
  CHECK(refused.text ==
        "invalid partition specified: nope; Batch job submission failed: Invalid partition name specified");
}

TEST_CASE("a listing has the jobs of etude with their tasks, by name or by comment") {
  const auto jobs = read_squeue(
      "12|N/A|PENDING|Resources||etude-aa|etude-aa\n"
      "13|0|RUNNING|None|n1|etude-bb|(null)\n"
      "13|1|COMPLETED|None|n2|renamed|etude-bb\n"
      "14|N/A|RUNNING|None|n2|another|a | b\n");
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 3);
  CHECK((*jobs)[0].id == "12");
  CHECK(stage_of((*jobs)[0]) == SlurmStage::waits);
  CHECK((*jobs)[1].id == "13_0");
  CHECK((*jobs)[1].nodes == "n1");
  CHECK((*jobs)[2].token == "bb");
  CHECK((*jobs)[2].index == 1);
  CHECK(stage_of((*jobs)[2]) == SlurmStage::over);
  CHECK(read_squeue("")->empty());
  for (const char* nonsense : {"hello", "x|N/A|RUNNING|None|n1|a|b", "12|N/A|||", "12|N/A||None|n1|a|b"})
    CHECK_FALSE(read_squeue(nonsense));
}

TEST_CASE("a reason that no waiting helps against is told from one that passes") {
  SlurmJob job{"aa", 0, "12", "PENDING", "PartitionTimeLimit", ""};
  CHECK(never_starts(job));
  job.why = "Resources";
  CHECK_FALSE(never_starts(job));
  job = {"aa", 0, "12", "RUNNING", "PartitionTimeLimit", "n1"};
  CHECK_FALSE(never_starts(job));
}

TEST_CASE("the lines of sacct are jobs and tasks with their ends, also of tasks that never began and share a line") {
  const auto jobs = read_sacct(
      "etude-abc|12|CANCELLED by 1000|n1\netude-def|13_4|TIMEOUT|n2\netude-def|13_[5-9]|PENDING|None assigned\n"
      "mine|x|FAILED|n1\netude-ghi|14|CANCELLED|None assigned\n");
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 8);
  CHECK((*jobs)[0].token == "abc");
  CHECK((*jobs)[0].id == "12");
  CHECK((*jobs)[0].state == "CANCELLED");
  CHECK((*jobs)[0].nodes == "n1");
  CHECK((*jobs)[1].index == 4);
  CHECK((*jobs)[1].id == "13_4");
  CHECK((*jobs)[2].id == "13_5");
  CHECK((*jobs)[6].index == 9);
  CHECK((*jobs)[6].state == "PENDING");
  CHECK((*jobs)[7].nodes.empty());
  const auto cancelled = read_sacct("etude-a|5_[0-1,4,7-8%2]|CANCELLED by 0|None assigned\n");
  REQUIRE(cancelled);
  std::vector<std::string> ids;
  for (const auto& job : *cancelled) ids.push_back(job.id);
  CHECK(ids == std::vector<std::string>{"5_0", "5_1", "5_4", "5_7", "5_8"});
  CHECK(cancelled->front().state == "CANCELLED");
  CHECK(read_sacct("")->empty());
  for (const char* nonsense : {"hello\n", "etude-a|b|FAILED|n1\n", "etude-a|1||n1\n", "etude-a|1_[|FAILED|n1\n",
                               "etude-a|1_[0-4000000000]|FAILED|n1\n", "etude-a|1_[3-]|FAILED|n1\n",
                               "etude-a|1_|FAILED|n1\n", "etude-a|1_[0-99999999]|FAILED|n1\n"})
    CHECK_FALSE(read_sacct(nonsense));
}

TEST_CASE(
    "kinds of nodes are those with the same features, GPUs, processors and memory, in the partition of the jobs") {
  const std::string lines =
      "main*|fast|gpu:a100:8|64|512000|2|g[1-2]\nmain*|slow|(null)|32|128000|3|n[1-3]\nold|slow|(null)|32|128000|1|n9\n"
      "hello\n|\nmain*|a|b|1|2|many|n7\nmain*|fast|gpu:a100:8|64|512000|2|g[5-6]\n";
  const auto of = [&](bool usual) {
    std::vector<std::string> nodes;
    for (const executors::NodeKind& kind : executors::node_kinds(lines, usual)) nodes.push_back(kind.nodes);
    return nodes;
  };
  CHECK(of(true) == std::vector<std::string>{"g[1-2],g[5-6]", "n[1-3]"});
  CHECK(of(false) == std::vector<std::string>{"g[1-2],g[5-6]", "n[1-3],n9"});
  CHECK(executors::node_kinds("", false).empty());
}

TEST_CASE("the script of a probe names its node and what is not there") {
  test::Folder folder;
  const std::string here = folder / "it's here", answer = folder / "answer";
  test::write(here, "");
  const std::string script = executors::probe_script({here, "/nowhere/a b", "/bin/sh"}, answer);
  const auto ran =
      programs::run_program({.argv = {"/bin/sh"}, .environment = {{"SLURMD_NODENAME", "n7"}}, .in = script});
  REQUIRE(ran);
  CHECK(ran->exit == 0);
  CHECK(test::read(answer) == "n7\n/nowhere/a b\n");
}
