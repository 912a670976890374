#include "artifacts/reproduce/reproduction.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "artifacts/text/new_file.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/write/staging.h"
#include "base/digest.h"
#include "tests/artifacts/samples/sample_study.h"

namespace fs = std::filesystem;
using namespace artifacts;

namespace {

Recorded recorded(const SampleStudy& sample) {
  auto result = read_recorded(sample_artifact(sample));
  if (!result) FAIL(result.problem().text());
  // The sample's results come of a model of its own, and not of the kernel's analysis.
  std::erase_if(result->terms.untrue, [](const kernel::Untrue& u) { return u.what.starts_with("trace/events.jsonl"); });
  return std::move(*result);
}

std::string why_refused(const std::string& folder) {
  const auto result = read_recorded(folder);
  return result ? "" : result.problem().text();
}

void replace_in(const std::string& path, const std::string& from, const std::string& to) {
  std::string bytes = file_bytes(path);
  const auto at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  bytes.replace(at, from.size(), to);
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string hash_of_file(const std::string& path) {
  return kernel::sha256_hex(file_bytes(path));
}

kernel::HypothesisResult& result_of(kernel::Study& study, const kernel::HypothesisId& id) {
  for (kernel::HypothesisRecord& record : study.hypotheses)
    if (record.hypothesis.id == id) return *record.result;
  throw std::logic_error(id.text());
}

const ClaimComparison& claim(const ReproductionReport& report, const kernel::HypothesisId& hypothesis) {
  for (const ClaimComparison& c : report.claims)
    if (c.hypothesis == hypothesis) return c;
  throw std::logic_error(hypothesis.text());
}

}  // namespace

TEST_CASE("an artifact gives back the design that was registered") {
  const SampleStudy sample;
  const Recorded r = recorded(sample);
  CHECK(r.head == sample.input().head);
  CHECK(r.spec.hypotheses.size() == 5);
  CHECK(r.spec.hypotheses[2].id == "H3");
  CHECK(r.spec.design.settled.at("H5") == 6);
  CHECK(r.spec.design.family == 5);
  CHECK(r.spec.seed == sample.study().spec.seed);
  CHECK_FALSE(r.spec.design.smoke);
  CHECK(fs::exists(r.spec.workspace.path + "/sort.py"));
  CHECK(fs::path(r.spec.workspace.path).is_absolute());
  CHECK(r.study.runs.size() == sample.study().runs.size());
}

TEST_CASE("a reproduction has more time than the study had, whose machine was another one") {
  for (const double own : {1.0, 1e6}) {
    SampleOptions options;
    options.wall_s = own;
    const SampleStudy sample(options);
    const Recorded r = recorded(sample);
    CHECK(*r.study.spec.budget.wall_s == own);
    CHECK(*r.spec.budget.wall_s >= std::max(own, 4 * forecast(r).run_seconds));
    CHECK(*r.spec.budget.wall_s >= 600);
  }
  CHECK_FALSE(recorded(SampleStudy()).spec.budget.wall_s);
}

TEST_CASE("an artifact cannot relax its own confinement") {
  SampleOptions options;
  options.unconfined = true;
  const SampleStudy sample(options);
  const Recorded r = recorded(sample);
  CHECK(r.study.spec.resources.sandbox == kernel::SandboxMode::none);
  CHECK(r.spec.resources.sandbox == kernel::SandboxMode::automatic);
  CHECK_FALSE(r.spec.resources.network);
  CHECK(r.spec.environment.pass == std::vector<std::string>{"LD_LIBRARY_PATH"});
  CHECK(r.spec.environment.use == "system");
  CHECK(r.notes.size() == 4);
}

TEST_CASE("a changed artifact is refused, with the file that was changed") {
  const SampleStudy sample;
  const std::string folder = sample_artifact(sample);
  const std::string workspace = folder + "/src/workspace/" + sample.study().workspace.hash;
  CHECK(why_refused(folder) == "");

  SECTION("code") {
    replace_in(workspace + "/sort.py", "sorts", "SORTS");
    CHECK(why_refused(folder).find("/sort.py") != std::string::npos);
  }
  SECTION("code, with etude.json made to agree") {
    const std::string before = hash_of_file(workspace + "/sort.py");
    replace_in(workspace + "/sort.py", "sorts", "SORTS");
    replace_in(folder + "/etude.json", before, hash_of_file(workspace + "/sort.py"));
    CHECK(why_refused(folder).find("manifest") != std::string::npos);
  }
  SECTION("a file more") {
    std::ofstream(workspace + "/sitecustomize.py") << "import os";
    CHECK(why_refused(folder).find("sitecustomize.py") != std::string::npos);
  }
  SECTION("the log") {
    replace_in(folder + "/trace/events.jsonl", "\"alpha\":0.05", "\"alpha\":0.50");
    CHECK(why_refused(folder).find("chain") != std::string::npos);
  }
  SECTION("the log, cut short") {
    std::string log = file_bytes(folder + "/trace/events.jsonl");
    log.resize(log.rfind('\n', log.size() - 2) + 1);
    std::ofstream(folder + "/trace/events.jsonl", std::ios::binary) << log;
    CHECK(why_refused(folder).find("head") != std::string::npos);
  }
  SECTION("no etude.json") {
    fs::remove(folder + "/etude.json");
    CHECK(why_refused(folder).find("no etude.json") != std::string::npos);
  }
  SECTION("an etude.json of a later version") {
    replace_in(folder + "/etude.json", "\"etude\": 1", "\"etude\": 2");
    CHECK(why_refused(folder).find("version 2") != std::string::npos);
  }
  SECTION("an etude.json of nonsense") {
    std::ofstream(folder + "/etude.json") << "{\"etude\":1,\"events\":[],\"files\":7}";
    CHECK(why_refused(folder) != "");
  }
}

TEST_CASE("a folder that is no artifact is a problem, not a fault") {
  const SampleStudy sample;
  CHECK(why_refused(sample.place("workspace")) != "");
  CHECK(why_refused(sample.place("nowhere")) != "");
}

TEST_CASE("data that were only declared cannot be chosen by an artifact") {
  SampleOptions options;
  options.data = true;
  const SampleStudy hashed(options);
  CHECK(why_refused(sample_artifact(hashed)) == "");
  options.declared = true;
  const SampleStudy declared(options);
  CHECK(why_refused(sample_artifact(declared)).find("corpus") != std::string::npos);
}

TEST_CASE("a second run with the same verdicts reproduces every claim") {
  const SampleStudy first;
  SampleOptions options;
  options.noise = 7;
  options.slower = 1.7;
  const SampleStudy second(options);
  const ReproductionReport report = compare(recorded(first), second.study());
  CHECK(report.outcome == ClaimOutcome::reproduced);
  CHECK(report.claims.size() == 5);
  CHECK(claim(report, "H5").reason == "inconclusive, as before");
  CHECK(report.environment.empty());
}

TEST_CASE("on fresh seeds a claim is replicated, in the pages since wording 2") {
  const SampleStudy first;
  SampleOptions options;
  options.noise = 7;
  const SampleStudy second(options);
  Recorded r = recorded(first);
  r.terms.fresh = true;
  kernel::Study again = second.study();
  CHECK(compare(r, again).outcome == ClaimOutcome::replicated);
  kernel::Study open = again;
  result_of(open, "H1").verdict = kernel::Verdict::inconclusive;
  CHECK(claim(compare(r, open), "H1").outcome == ClaimOutcome::diverged);
  again.wording = 1;
  CHECK(compare(r, again).outcome == ClaimOutcome::reproduced);
}

TEST_CASE("another verdict is a divergence unless the difference was to be expected") {
  const SampleStudy first;
  const Recorded r = recorded(first);
  kernel::Study again = r.study;
  kernel::HypothesisResult& h1 = result_of(again, "H1");
  h1.verdict = kernel::Verdict::inconclusive;
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::reproduced);

  // t(0.995; 10) = 3.1692727 over two equal errors on five degrees of freedom each.
  const double reach = 3.169272673 * std::sqrt(2.0) * *h1.se;
  *h1.effect += 0.999 * reach;
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::reproduced);
  *h1.effect += 0.002 * reach;
  const ReproductionReport report = compare(r, again);
  CHECK(claim(report, "H1").outcome == ClaimOutcome::diverged);
  CHECK(report.outcome == ClaimOutcome::diverged);
  CHECK(claim(report, "H2").outcome == ClaimOutcome::reproduced);
}

TEST_CASE("on a logarithmic scale the expected difference is one of logarithms") {
  const SampleStudy first;
  Recorded r = recorded(first);
  for (kernel::Metric& metric : r.study.spec.metrics) metric.scale = kernel::Scale::log;
  // Half of the control, at 90 % between 1/2.5 and 1/1.6; the error in ms says nothing here.
  for (kernel::HypothesisRecord& record : r.study.hypotheses)
    if (record.hypothesis.id == "H1") {
      kernel::HypothesisResult& h1 = *record.result;
      h1.effect_relative = -0.5, h1.relative_low = -0.6, h1.relative_high = -0.375;
      h1.level = 0.9, h1.df = 5, h1.se = 1000;
    }
  kernel::Study again = r.study;
  kernel::HypothesisResult& h1 = result_of(again, "H1");
  h1.verdict = kernel::Verdict::inconclusive;
  // t(0.95; 5) = 2.0150484 makes the standard error; t(0.995; 10) = 3.1692727 the interval of prediction.
  const double se = std::log(0.625 / 0.4) / 2 / 2.015048373;
  const double reach = 3.169272673 * std::sqrt(2.0) * se;
  const auto at = [&](double away) {
    const double factor = std::exp(away);
    h1.effect_relative = 0.5 * factor - 1, h1.relative_low = 0.4 * factor - 1, h1.relative_high = 0.625 * factor - 1;
    return claim(compare(r, again), "H1").outcome;
  };
  CHECK(at(0.999 * reach) == ClaimOutcome::reproduced);
  CHECK(at(1.001 * reach) == ClaimOutcome::diverged);
}

TEST_CASE("on another processor ratios are compared, not absolute times") {
  const SampleStudy first;
  const Recorded r = recorded(first);
  kernel::Study again = r.study;
  kernel::HypothesisResult& h1 = result_of(again, "H1");
  h1.verdict = kernel::Verdict::inconclusive;
  *h1.effect *= 10;
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::diverged);
  again.environment.machine["cpu"] = "Another CPU";
  const ReproductionReport report = compare(r, again);
  CHECK(claim(report, "H1").outcome == ClaimOutcome::reproduced);
  REQUIRE(report.environment.size() == 1);
  CHECK(report.environment[0].what == "cpu");
}

TEST_CASE("an inconclusive claim is reproduced only by being inconclusive") {
  const SampleStudy first;
  const Recorded r = recorded(first);
  kernel::Study again = r.study;
  result_of(again, "H5").verdict = kernel::Verdict::refuted;
  CHECK(claim(compare(r, again), "H5").outcome == ClaimOutcome::diverged);
}

TEST_CASE("deterministic values agree exactly or not at all") {
  const SampleStudy first;
  Recorded r = recorded(first);
  for (kernel::Metric& metric : r.study.spec.metrics) metric.deterministic = true;
  kernel::Study again = r.study;
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::reproduced);
  result_of(again, "H1").effect = std::nextafter(*result_of(again, "H1").effect, 0.0);
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::diverged);
}

TEST_CASE("a deterministic metric that the hypothesis tests by t is reported and compared by t") {
  const SampleStudy first;
  Recorded r = recorded(first);
  for (kernel::Metric& metric : r.study.spec.metrics) metric.deterministic = true;
  for (kernel::HypothesisRecord& record : r.study.hypotheses) record.hypothesis.method = kernel::Method::t;
  kernel::Study again = r.study;
  result_of(again, "H1").effect = std::nextafter(*result_of(again, "H1").effect, 0.0);
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::reproduced);

  kernel::HypothesisRecord untested = *r.study.hypothesis("H1");
  untested.result->p.reset();
  CHECK(shown(r.study.spec, untested).p.text == "not available: nothing was tested");
  CHECK(shown(r.study.spec, untested).power.text == "0.87");
  untested.hypothesis.method = kernel::Method::log_t;
  CHECK(shown(r.study.spec, untested).se.text.ends_with(" ms"));  // of the effect, whatever the test's scale
  untested.result->power.reset();
  CHECK(shown(r.study.spec, untested).power.text == "not known");
  untested.hypothesis.method = kernel::Method::automatic;
  CHECK(shown(r.study.spec, untested).p.text == "not available: compared exactly");
}

TEST_CASE("runs that fail leave a claim failed to run, never reproduced") {
  const SampleStudy first;
  const Recorded r = recorded(first);
  kernel::Study again = r.study;
  kernel::HypothesisResult& h1 = result_of(again, "H1");
  h1.verdict = kernel::Verdict::inconclusive;
  h1.failed = {1, 0};
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::failed_to_run);
  h1 = {};
  h1.id = "H1";
  CHECK(claim(compare(r, again), "H1").outcome == ClaimOutcome::failed_to_run);
}

TEST_CASE("a study that stopped early attempted nothing of what it did not judge") {
  const SampleStudy first;
  const Recorded r = recorded(first);
  kernel::Study again = r.study;
  for (kernel::HypothesisRecord& record : again.hypotheses) record.result.reset();
  again.outcome.reset();
  CHECK(compare(r, again).outcome == ClaimOutcome::not_attempted);
  CHECK(claim(compare(r, again), "H1").reason == "the study ended before it was judged");
  again.pause_reason = kernel::PauseReason::budget;
  CHECK(claim(compare(r, again), "H1").reason == "the budget ended before it was judged");
  again.pause_reason.reset();
  again.outcome = kernel::StudyOutcome::failed;
  CHECK(compare(r, again).outcome == ClaimOutcome::failed_to_run);
}

TEST_CASE("other code or data reproduce nothing") {
  const SampleStudy first;
  const Recorded r = recorded(first);
  kernel::Study again = r.study;
  again.workspace.hash = kernel::WorkspaceHash(std::string(64, 'd'));
  const ReproductionReport report = compare(r, again);
  CHECK(report.outcome == ClaimOutcome::failed_to_run);
  CHECK(claim(report, "H1").reason.find("workspace") != std::string::npos);
}

TEST_CASE("a comparison is told as JSON and as text") {
  const SampleStudy first;
  const Recorded r = recorded(first);
  const ReproductionReport report = compare(r, r.study);
  const nlohmann::json shape = to_json(report);
  CHECK(shape["outcome"] == "reproduced");
  CHECK(shape["claims"][0]["id"] == "C01");
  CHECK(shape["claims"][0]["recorded"]["verdict"] == "supported");
  CHECK(shape["claims"][0]["observed"]["effect"] == *r.study.hypothesis("H1")->result->effect);
  CHECK(shape["environment"].empty());
  CHECK(to_text(report).find("5 reproduced") != std::string::npos);
}
