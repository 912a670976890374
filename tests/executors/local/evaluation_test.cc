// The second step of a run: after the job, beyond its reach, under the same claim.

#include <catch2/catch.hpp>

#include "executors/backend/harvest.h"
#include "tests/executors/fixture.h"

using kernel::JobEnd;
using test::Bench;
using test::has_sandbox;

namespace {

kernel::JobSpec scored(const Bench& bench, const std::string& run, const std::string& job,
                       const std::string& evaluation) {
  kernel::JobSpec spec = bench.job(run, job);
  spec.evaluation.emplace();
  spec.evaluation->tier = kernel::Tier::test;
  spec.evaluation->command = {true, {evaluation}};
  const std::string sealed = bench.folder() / (run + "-labels");
  test::write(sealed, "secret\n");
  spec.evaluation->data = {{"deep/labels.csv", sealed, ""}};
  return spec;
}

std::string scores_of(const kernel::JobSpec& spec) {
  return executors::Harvest(spec.folder).evaluation().metrics(1000)->text;
}

}  // namespace

TEST_CASE("an evaluation reads the job's outputs and its own data, and can change neither") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto spec = scored(bench, "r1",
                           "cat deep/labels.csv; echo mine > $ETUDE_OUTPUT/out.txt; echo x > evil.py; echo job >> "
                           "$ETUDE_METRICS; (sleep 1000; echo late > $ETUDE_OUTPUT/out.txt) & exit 0",
                           "cat deep/labels.csv $ETUDE_JOB_OUTPUT/out.txt >> $ETUDE_METRICS; ls >&2; "
                           "echo x > $ETUDE_JOB_OUTPUT/new; echo x > deep/labels.csv; echo x > new; "
                           "echo \"${{ETUDE_OUTPUT:-none}} $ETUDE_TIER\"");
  const auto outcome = bench.run(spec);
  INFO(newest_words(outcome.reason));
  CHECK(outcome.end == JobEnd::exited);
  CHECK(outcome.exit == 0);
  CHECK(outcome.tier == kernel::Tier::test);
  REQUIRE(outcome.evaluator);
  INFO(newest_words(outcome.evaluator->reason));
  CHECK(outcome.evaluator->succeeded());
  CHECK(outcome.evaluator->started_ms >= outcome.started_ms);
  CHECK(scores_of(spec) == "secret\nmine\n");
  CHECK(executors::Harvest(spec.folder).metrics(1000)->text == "job\n");
  CHECK(test::read(spec.folder + "/out/out.txt") == "mine\n");
  CHECK_FALSE(test::exists(spec.folder + "/out/new"));
  const std::string own = spec.folder + "/evaluator/";
  CHECK(test::read(own + "stdout.head") == "none test\n");
  CHECK(test::read(own + "stderr.head").find("evil.py") == std::string::npos);
  CHECK(test::read(bench.folder() / "r1-labels") == "secret\n");
  CHECK(test::errors_of(spec).find("deep/labels.csv: No such file") != std::string::npos);
}

TEST_CASE("what fails is not evaluated, and an evaluation that fails says how") {
  if (!has_sandbox()) return;
  Bench bench;
  CHECK_FALSE(bench.run(scored(bench, "r1", "exit 1", "echo x >> $ETUDE_METRICS")).evaluator);
  const auto failed = bench.run(scored(bench, "r2", "true", "exit 7"));
  CHECK(failed.end == JobEnd::exited);
  CHECK(failed.exit == 0);
  REQUIRE(failed.evaluator);
  CHECK(failed.evaluator->exit == 7);
  CHECK(newest_words(failed.evaluator->reason) == "exit status 7");
  const auto reached = [](const kernel::JobOutcome& outcome) { return outcome.evaluator.has_value(); };
  const auto late = bench.timed_out(scored(bench, "r3", "true", "sleep 1000"), reached);
  REQUIRE(late.evaluator);
  CHECK(late.evaluator->end == JobEnd::timed_out);
  auto gone = scored(bench, "r4", "true", "true");
  gone.evaluation->data.at(0).path += "-gone";
  const auto missing = bench.run(gone);
  REQUIRE(missing.evaluator);
  CHECK(missing.evaluator->end == JobEnd::failed_to_start);
}

TEST_CASE("a link in the outputs that leads out of them ends the evaluation before it starts") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto out = [&](const std::string& run, const std::string& make) {
    return bench.run(scored(bench, run, "cd $ETUDE_OUTPUT; mkdir -p a/b; echo x > a/f; " + make, "true")).evaluator;
  };
  CHECK(out("in", "ln -s f a/g; ln -s ../f a/b/h; ln -s nowhere a/i")->succeeded());
  for (const auto& [run, make] : {std::pair("absolute", "ln -s /etude/work/deep/labels.csv a/b/z"),
                                  {"above", "ln -s ../../../work/deep/labels.csv a/b/z"},
                                  {"folder", "ln -s ../../.. a/b/z"},
                                  {"chain", "ln -s ../../.. a/b/y; ln -s b/y/work a/z"}}) {
    INFO(run);
    const auto refused = out(run, make);
    REQUIRE(refused);
    CHECK(refused->end == JobEnd::failed_to_start);
    CHECK(newest_words(refused->reason).find("leads out of its outputs") != std::string::npos);
  }
}

TEST_CASE("without a sandbox the evaluation has a copy of its own, and its data as links") {
  Bench bench;
  auto spec = scored(bench, "r1", "echo x > evil.py; ls deep; echo mine > $ETUDE_OUTPUT/out.txt",
                     "cat deep/labels.csv $ETUDE_JOB_OUTPUT/out.txt >> $ETUDE_METRICS; ls");
  spec.resources.sandbox = kernel::SandboxMode::none;
  const auto outcome = bench.run(spec);
  REQUIRE(outcome.evaluator);
  INFO(newest_words(outcome.evaluator->reason));
  CHECK(scores_of(spec) == "secret\nmine\n");
  CHECK(test::read(spec.folder + "/evaluator/stdout.head") == "deep\n");
}

TEST_CASE("a run that is cancelled while it is evaluated is cancelled, and one that an executor left is found whole") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto waiting = [&](const kernel::JobSpec& spec) {
    return test::eventually([&] { return test::exists(spec.folder + "/evaluator/stdout.head"); });
  };
  const auto cancelled = scored(bench, "r1", "true", "echo begun; sleep 1000");
  bench.start(cancelled);
  REQUIRE(waiting(cancelled));
  bench.cancel("r1");
  const auto outcome = bench.outcome("r1");
  CHECK(outcome.end == JobEnd::cancelled);
  CHECK_FALSE(outcome.evaluator);

  const auto left =
      scored(bench, "r2", "true",
             "echo begun; until test -e $ETUDE_JOB_OUTPUT/go; do sleep 0.05; done; echo x >> $ETUDE_METRICS");
  bench.start(left);
  REQUIRE(waiting(left));
  bench.replace_executor();
  bench.adopt(left);
  test::write(left.folder + "/out/go", "");
  const auto adopted = bench.outcome("r2");
  REQUIRE(adopted.evaluator);
  CHECK(adopted.evaluator->succeeded());
  CHECK(adopted.tier == kernel::Tier::test);
  CHECK(scores_of(left) == "x\n");
}
