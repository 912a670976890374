// Metrics that only an evaluator writes: what is believed, which tier scores which run, and how often test data are
// looked at.

#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "kernel/design/design.h"
#include "kernel/domain/enum_names.h"
#include "kernel/runs/job.h"
#include "kernel/runs/run_keys.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/measure/measured.h"
#include "tests/kernel/studies/world.h"

namespace {

using namespace kernel;

StudySpec scored(bool validation, bool test) {
  StudySpec spec = small_spec({quick_is_faster()});
  spec.metrics.at(0).source = FromEvaluator{};
  const auto tier = [](const std::string& name) {
    TierSpec own;
    own.command.words = {"evaluate " + name};
    own.data = {{"/data/" + name + ".csv", name + ".csv", "", 0}};
    return own;
  };
  if (validation) spec.evaluator.validation = tier("val");
  if (test) spec.evaluator.test = tier("test");
  return spec;
}

void open_sealed(World& world, const StudySpec& spec) {
  StudyOpened opened;
  opened.id = "s1";
  opened.spec = spec;
  opened.jobs = 2;
  opened.boot_id = world.clock.boot;
  opened.sealed = {{Tier::validation, "val.csv", "/data/val.csv", "sha256:aa"},
                   {Tier::test, "test.csv", "/data/test.csv", "sha256:bb"}};
  world.inbox.post(Command{"s1", "person", OpenStudy{opened}});
}

/// What its evaluation would give: nothing, where there is none.
ReportEnd evaluated(const JobSpec& job) {
  return job.evaluation ? honest(job) : fakes::FakeExecutor::succeeded({});
}

Measured with_tier(const StudySpec& spec, Tier tier, std::string_view job, std::string_view evaluator) {
  Sources sources{job, "", nullptr};
  sources.tier = tier;
  sources.evaluator_file = evaluator;
  return measure(spec, sources);
}

}  // namespace

TEST_CASE("what a job writes under the evaluator's name is left out and named, whichever wrote first") {
  using measured::from;
  using measured::metric;
  const StudySpec spec =
      measured::study({from(metric("acc", SummaryKind::last, true), FromEvaluator{}), metric("loss")});
  const char* job = R"({"name":"acc","value":1}
{"name":"loss","value":3}
)";
  const char* evaluator = R"({"name":"acc","value":0.5}
{"name":"loss","value":0}
{"name":"extra","value":7}
)";
  const Measured got = with_tier(spec, Tier::test, job, evaluator);
  CHECK_FALSE(got.measurement.verdict);
  CHECK(got.measurement.values.at("acc").value == 0.5);
  CHECK(got.measurement.values.at("loss").value == 3);
  CHECK(got.measurement.ignored == std::vector<std::string>{"acc"});
  CHECK(got.points.size() == 3);
  CHECK(with_tier(spec, Tier::test, "", evaluator).measurement.ignored.empty());
}

TEST_CASE("an evaluator that writes none of its metrics fails the run, and one that was not asked does not") {
  using measured::from;
  using measured::metric;
  StudySpec spec = measured::study({metric("loss", SummaryKind::last, true), from(metric("acc"), FromEvaluator{})});
  const char* loss = R"({"name":"loss","value":3})";
  Measurement silent = with_tier(spec, Tier::validation, loss, R"({"name":"ac","value":1})").measurement;
  CHECK(silent.verdict == RunState::failed);
  CHECK(kernel::newest_words(silent.reason) == "the evaluator wrote no metric that is declared `from: evaluator`");
  CHECK_FALSE(with_tier(spec, Tier::none, loss, "").measurement.verdict);

  std::swap(spec.metrics.at(0).primary, spec.metrics.at(1).primary);
  spec.guards = {{"acc", 2.0, std::nullopt}};
  CHECK_FALSE(with_tier(spec, Tier::none, loss, "").measurement.verdict);
  const Measurement beyond = with_tier(spec, Tier::test, loss, R"({"name":"acc","value":2.5})").measurement;
  CHECK(beyond.verdict == RunState::invalid);
}

TEST_CASE("registered runs are scored by the test data where there are some, all others by validation alone") {
  for (const auto& [validation, test] : {std::pair(true, true), {true, false}, {false, true}}) {
    INFO(validation << test);
    std::map<Purpose, Tier> asked;
    World world([&](const JobSpec& job) {
      CHECK((job.evaluation ? job.evaluation->tier : Tier::none) != (validation ? Tier::none : Tier::validation));
      return evaluated(job);
    });
    open_sealed(world, scored(validation, test));
    const Study study = finished(world);
    CHECK(study.hypotheses.at(0).result->verdict == Verdict::supported);
    for (const Run& run : study.runs) {
      asked[run.purpose] = run.tier;
      CHECK(run.state == RunState::succeeded);
      CHECK(run_shape(study, run).at("tier") ==
            (run.tier == Tier::none ? nlohmann::json() : nlohmann::json(name(run.tier))));
    }
    CHECK(asked.at(Purpose::registered) == (test ? Tier::test : Tier::validation));
    CHECK(asked.at(Purpose::smoke) == (validation ? Tier::validation : Tier::none));
    CHECK(looks_used(study) == (test ? 1 : 0));
    const Registration& registration = study.experiments.at(0).registration;
    REQUIRE(registration.terms->evaluator);
    CHECK(registration.terms->evaluator->data.size() == 1);
    CHECK(registration.terms->evaluator->data.at(0).identity == (test ? "sha256:bb" : "sha256:aa"));
    // Nothing in outputs or metrics differed, or could: that is no finding where nothing was measured.
    if (!validation)
      for (const CheckFinding& finding : study.check->findings)
        CHECK(newest_words(finding.message).find("no metric") == std::string::npos);
  }
}

TEST_CASE("the job of a run has its own tier's data and no other") {
  World world(evaluated);
  open_sealed(world, scored(true, true));
  const Study study = finished(world);
  const Run& last = study.runs.back();
  const JobSpec job = job_of(study, last, {"/runs", "/workspaces", "/kept"});
  REQUIRE(job.evaluation);
  CHECK(job.evaluation->command.words == std::vector<std::string>{"evaluate test"});
  REQUIRE(job.evaluation->data.size() == 1);
  CHECK(job.evaluation->data.at(0).path == "/data/test.csv");
  CHECK(job.data.empty());
}

TEST_CASE("the hash of a registration is of the evaluator's command and data, too, and unchanged without one") {
  const auto hash_of = [](const std::function<void(StudySpec&, StudyOpened&)>& change) {
    Study study;
    study.id = "s1";
    StudyOpened opened;
    study.spec = scored(false, true);
    opened.sealed = {{Tier::test, "test.csv", "/data/test.csv", "sha256:bb"}};
    change(study.spec, opened);
    study.sealed = opened.sealed;
    study.hypotheses.push_back({quick_is_faster(), 1, false, "", std::nullopt});
    study.family = 1;
    return canonical(registration_of(study, {"H1"}, {}));
  };
  const std::string plain = hash_of([](StudySpec&, StudyOpened&) {});
  CHECK(hash_of([](StudySpec&, StudyOpened&) {}) == plain);
  CHECK(hash_of([](StudySpec& s, StudyOpened&) { s.evaluator.test->command.words = {"evaluate else"}; }) != plain);
  CHECK(hash_of([](StudySpec&, StudyOpened& o) { o.sealed[0].identity = "sha256:cc"; }) != plain);
  const std::string none = hash_of([](StudySpec& s, StudyOpened& o) {
    s.evaluator = {};
    o.sealed.clear();
  });
  CHECK(none.find("\"tier\"") == none.npos);
}

TEST_CASE("jobs that write the evaluator's metric are found out, and the verdict stands with a warning") {
  World world([](const JobSpec& job) {
    ReportEnd end = evaluated(job);
    if (job.values.at("algorithm") == "quick") end.measurement.ignored = {"time_ms"};
    return end;
  });
  open_sealed(world, scored(true, true));
  const Study study = finished(world);
  REQUIRE(study.integrity.size() == 1);
  CHECK(study.integrity.at(0).averted);
  CHECK(study.integrity.at(0).runs.size() == 13);  // twelve registered ones and the smoke run that flips to it
  CHECK(study.hypotheses.at(0).result->verdict == Verdict::supported);
  const std::vector<kernel::Reason>& warnings = study.hypotheses.at(0).result->warnings;
  CHECK(std::find(warnings.begin(), warnings.end(), study.integrity.at(0).message) != warnings.end());
}

TEST_CASE("a look at the test data that is one too many is refused, and those of another study count") {
  StudySpec spec = scored(true, true);
  spec.evaluator.test->looks = 2;
  Study study;
  study.spec = spec;
  CHECK(refused_look(study).empty());
  study.test_looks.elsewhere = 2;
  CHECK(newest_words(refused_look(study)).find("have scored 2 of at most 2 experiments") != std::string::npos);
  study.spec.evaluator.test.reset();
  CHECK(refused_look(study).empty());

  World world(evaluated);
  open_sealed(world, scored(true, true));
  const Study whole = finished(world);
  int looks = 0;
  for (const Event& event : world.log) looks += looks_at_test(event);
  CHECK(looks == 1);
  CHECK(study_shape(whole, "h").at("looks") ==
        nlohmann::json{{"limit", 1}, {"used", 1}, {"earlier", nlohmann::json::array()}});
  State state = world.replayed();
  apply(state, {"s1", "kernel", {}, StudyForked{"s0", 3, "h", {}, 4}});
  CHECK(looks_used(*state.study("s1")) == 5);
}

TEST_CASE("an earlier run stands for one only where the evaluator and its data are the same") {
  World world(evaluated);
  StudySpec spec = scored(true, true);
  open_sealed(world, spec);
  Study study = finished(world);
  const Run& run = study.runs.back();
  const std::string key = cache_key(study, run);
  study.sealed.at(0).identity = "sha256:other";
  CHECK(cache_key(study, run) == key);  // of the other tier
  study.sealed.at(1).identity = "sha256:other";
  CHECK(cache_key(study, run) != key);
}
