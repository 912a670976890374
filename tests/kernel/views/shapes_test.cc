// What users' scripts read of a hypothesis agrees with what the kernel does.
#include "kernel/views/shapes.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/inference/test_method.h"
#include "kernel/verdicts/judge.h"
#include "tests/kernel/inference/synthetic.h"

namespace {

using kernel::Method;

std::string shown_method(const kernel::StudySpec& spec, const kernel::Hypothesis& h) {
  kernel::Study study;
  study.spec = spec;
  const kernel::HypothesisRecord record{h, 1, false, "", std::nullopt};
  return kernel::hypothesis_shape(record, study).at("method");
}

}  // namespace

TEST_CASE("the method that is shown is the one that tests") {
  kernel::Hypothesis mean = synthetic::compare(kernel::Direction::less);
  kernel::Hypothesis slope = synthetic::slope(kernel::Direction::greater, 0);
  slope.where = {{"arm", "t"}};
  for (const bool deterministic : {false, true}) {
    for (const kernel::Scale scale : {kernel::Scale::linear, kernel::Scale::log}) {
      for (const Method method : {Method::automatic, Method::t, Method::log_t, Method::exact}) {
        kernel::StudySpec spec = synthetic::study(4, {synthetic::factor("n", {"1", "2", "4"})});
        spec.metrics[0].deterministic = deterministic;
        spec.metrics[0].scale = scale;
        for (kernel::Hypothesis h : {mean, slope}) {
          h.method = method;
          const kernel::UnitRules used = kernel::method_of(spec, h).units();
          CAPTURE(deterministic, static_cast<int>(scale), static_cast<int>(method), h.along);
          CHECK(shown_method(spec, h) == (used.exact ? "exact" : used.logarithms ? "log_t" : "t"));
        }
      }
    }
  }
  kernel::StudySpec spec = synthetic::study(4, {synthetic::factor("n", {"1", "2", "4"})});
  spec.metrics[0].scale = kernel::Scale::log;
  CHECK(shown_method(spec, slope) == "t");  // a slope takes its logarithms from its own scale
  spec.metrics[0].deterministic = true;
  CHECK(shown_method(spec, mean) == "exact");
  mean.method = Method::t;
  CHECK(shown_method(spec, mean) == "t");
}

TEST_CASE("power that nobody can know is null, never a power of 0") {
  // Values that never vary give no error, and exact comparisons have none: neither has a power.
  for (const bool deterministic : {false, true}) {
    kernel::StudySpec spec = synthetic::study(3);
    spec.metrics[0].deterministic = deterministic;
    synthetic::Runs runs;
    runs.add_all({{"arm", "t"}}, {1, 1, 1});
    runs.add_all({{"arm", "c"}}, {2, 2, 2});
    const kernel::Hypothesis h = synthetic::compare(kernel::Direction::less);
    const std::vector<kernel::HypothesisResult> results =
        kernel::judge_batch(spec, std::span(&h, 1), 1, std::vector<std::vector<kernel::RunValue>>{runs.values()});
    CHECK_FALSE(results.at(0).power);
    kernel::Study study;
    study.spec = spec;
    CHECK(kernel::hypothesis_shape({h, 1, false, "E01", results.at(0)}, study).at("power").is_null());
  }
}
