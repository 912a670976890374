// Which runs are identical to one of an earlier study.

#include "kernel/runs/run_keys.h"

#include <catch2/catch.hpp>

namespace {

using kernel::Run;
using kernel::Study;

Study deterministic() {
  Study study;
  study.id = "s1";
  study.spec.cache = true;
  study.spec.design.reading = true;
  kernel::Metric cost;
  cost.name = "cost";
  cost.primary = cost.deterministic = true;
  study.spec.metrics = {cost};
  study.spec.run.words = {"count", "{n}"};
  study.spec.constants["n"] = {"5", 5.0};
  study.cells = {{}};
  return study;
}

Run replicate(int number, std::uint64_t seed) {
  Run run;
  run.experiment = "E01";
  run.replicate = number;
  run.seed = seed;
  return run;
}

}  // namespace

TEST_CASE("a run that gets no seed is the same on every seed") {
  const Study study = deterministic();
  CHECK_FALSE(kernel::gets_seed(study, replicate(1, 7)));
  CHECK(kernel::cache_key(study, replicate(1, 7)) == kernel::cache_key(study, replicate(1, 8)));
}

TEST_CASE("where a seed enters, it is in the key") {
  const std::vector<std::pair<const char*, void (*)(Study&)>> ways = {
      {"a metric that varies", [](Study& s) { s.spec.metrics.push_back({}); }},
      {"the command", [](Study& s) { s.spec.run.words.push_back("--seed={seed}"); }},
      {"the command's variable",
       [](Study& s) {
         s.spec.run = {true, {"count $ETUDE_SEED"}};
       }},
      {"an earlier stage",
       [](Study& s) {
         s.spec.stages.resize(1);
         s.spec.stages[0].run.words = {"{seed}"};
       }},
      {"the code",
       [](Study& s) {
         s.workspace.reads = {{kernel::CodeRead::seed, "a.py:1: ETUDE_SEED", false}};
       }},
      {"a program of before", [](Study& s) { s.spec.design.reading = false; }},
  };
  for (const auto& [what, change] : ways) {
    CAPTURE(what);
    Study study = deterministic();
    change(study);
    CHECK(kernel::gets_seed(study, replicate(1, 7)));
    CHECK(kernel::cache_key(study, replicate(1, 7)) != kernel::cache_key(study, replicate(1, 8)));
  }
  // Other reads of the code give no seed.
  Study study = deterministic();
  study.workspace.reads = {{kernel::CodeRead::parameters, "a.py:1: ETUDE_PARAMS", false}};
  CHECK_FALSE(kernel::gets_seed(study, replicate(1, 7)));
}

TEST_CASE("the evaluator's command and code count if it scores the run") {
  Study study = deterministic();
  study.spec.evaluator.test.emplace().command.words = {"score", "{seed}"};
  Run run = replicate(1, 7);
  CHECK_FALSE(kernel::gets_seed(study, run));
  run.tier = kernel::Tier::test;
  CHECK(kernel::gets_seed(study, run));
  study.spec.evaluator.test->command.words = {"score"};
  CHECK_FALSE(kernel::gets_seed(study, run));
  study.scoring.reads = {{kernel::CodeRead::seed, "score.py:1: ETUDE_SEED", false}};
  CHECK(kernel::gets_seed(study, run));
}

TEST_CASE("a run without a seed stands for one executed run of the same purpose") {
  const Study study = deterministic();
  const std::string key = kernel::cache_key(study, replicate(1, 7));
  CHECK(kernel::cache_key(study, replicate(2, 7)) != key);
  Run smoke = replicate(1, 7);
  smoke.purpose = kernel::Purpose::smoke;
  CHECK(kernel::cache_key(study, smoke) != key);
  Run later = replicate(1, 7);
  later.experiment = "E02";
  CHECK(kernel::cache_key(study, later) != key);
}

TEST_CASE("a repeat of a smoke run neither comes from the cache nor goes into it") {
  const Study study = deterministic();
  Run run = replicate(1, 7);
  run.state = kernel::RunState::succeeded;
  CHECK(kernel::may_reuse(study, run));
  CHECK(kernel::to_remember(study, run));
  run.purpose = kernel::Purpose::repeat;
  CHECK_FALSE(kernel::may_reuse(study, run));
  CHECK_FALSE(kernel::to_remember(study, run));
}
