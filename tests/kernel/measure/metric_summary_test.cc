// From a series of values to the one value of its metric.

#include <cmath>

#include <catch2/catch.hpp>

#include "kernel/wording/wording.h"
#include "tests/kernel/measure/measured.h"

namespace {

using namespace kernel;
using measured::kind;
using measured::metric;
using measured::of_lines;
using measured::study;
using measured::summary;

}  // namespace

TEST_CASE("each summary is what its name says") {
  const std::string values = "3 1 4 1 5 9 2 6";
  CHECK(summary(kind(SummaryKind::last), values).value == 6);
  CHECK(summary(kind(SummaryKind::mean), values).value == 31.0 / 8);
  CHECK(summary(kind(SummaryKind::median), values).value == 3.5);
  CHECK(summary(kind(SummaryKind::median), "5 1 3").value == 3);
  CHECK(summary(kind(SummaryKind::min), values).value == 1);
  CHECK(summary(kind(SummaryKind::max), values).value == 9);
  CHECK(summary(kind(SummaryKind::p99), values).value == Approx(8.79).epsilon(1e-12));  // numpy.percentile(…, 99)
  Metric last3 = kind(SummaryKind::mean_last);
  last3.summary.last_k = 3;
  CHECK(summary(last3, values).value == 17.0 / 3);
  CHECK(summary(last3, "1 2").value == 1.5);
}

TEST_CASE("a mean neither loses small values nor overflows") {
  CHECK(summary(kind(SummaryKind::mean), "1e16 1 -1e16 1").value == 0.5);
  CHECK(summary(kind(SummaryKind::mean), "1.5e308 1.5e308").value == 1.5e308);
}

TEST_CASE("warm-up values are dropped before summarising, and nothing left is no value") {
  Metric m = kind(SummaryKind::mean);
  m.warmup = 2;
  CHECK(summary(m, "100 50 2 4").value == 3);
  m.primary = true;
  const auto got = of_lines(study({m}), R"({"name":"x","value":1})");
  CHECK(got.measurement.verdict == RunState::failed);
  CHECK(kernel::newest_words(got.measurement.reason) ==
        "no value for the primary metric `x`: its 1 value is all warm-up");
}

TEST_CASE("time_to is the first step at which the target metric is reached in the sense of its goal") {
  Metric loss = metric("loss");
  Metric steps = metric("steps", SummaryKind::time_to);
  steps.summary.target_metric = "loss";
  steps.summary.target = 0.5;
  const std::string lines = R"({"name":"loss","value":0.9,"step":10}
{"name":"loss","value":NaN,"step":20}
{"name":"loss","value":0.5,"step":30}
{"name":"loss","value":0.4,"step":40}
)";
  auto got = of_lines(study({steps, loss}), lines).measurement.values.at("steps");
  CHECK(got.value == 30);
  CHECK_FALSE(got.censored);

  loss.goal = Goal::maximize;
  CHECK(of_lines(study({steps, loss}), lines).measurement.values.at("steps").value == 10);

  loss.goal = Goal::minimize;
  steps.summary.target = 0.1;
  got = of_lines(study({steps, loss}), lines).measurement.values.at("steps");
  CHECK(got.value == 40);
  CHECK(got.censored);
}

TEST_CASE("without steps, time_to counts values from zero, those of the warm-up too") {
  Metric steps = metric("steps", SummaryKind::time_to);
  steps.summary.target_metric = "acc";
  steps.summary.target = 0.8;
  Metric acc = metric("acc");
  acc.goal = Goal::maximize;
  const std::string lines = R"({"name":"acc","value":0.9}
{"name":"acc","value":0.7}
{"name":"acc","value":0.85}
)";
  CHECK(of_lines(study({steps, acc}), lines).measurement.values.at("steps").value == 0);
  steps.warmup = 1;
  CHECK(of_lines(study({steps, acc}), lines).measurement.values.at("steps").value == 2);
  CHECK(of_lines(study({steps, acc}), "").measurement.values.empty());
}

TEST_CASE("on_nan: fail fails the run, be the metric primary or not") {
  for (const bool primary : {true, false}) {
    for (const char* bad : {"NaN", "Infinity", "-Infinity"}) {
      const auto got = of_lines(study({metric("x", SummaryKind::min, primary)}),
                                std::string(R"({"name":"x","value":1})") + "\n{\"name\":\"x\",\"value\":" + bad + "}");
      CHECK(got.measurement.verdict == RunState::failed);
      CHECK(kernel::newest_words(got.measurement.reason) == std::string("the metric `x` is ") + bad);
      CHECK(got.measurement.values.empty());
    }
  }
}

TEST_CASE("a NaN that the summary does not look at changes nothing") {
  CHECK(summary(kind(SummaryKind::last), "NaN 2").value == 2);
  Metric m = kind(SummaryKind::mean);
  m.warmup = 1;
  CHECK(summary(m, "NaN 2 4").value == 3);
  Metric last2 = kind(SummaryKind::mean_last);
  last2.summary.last_k = 2;
  CHECK(summary(last2, "NaN 2 4").value == 3);
}

TEST_CASE("on_nan: worst marks the value, and on_nan: censor keeps what was finite before") {
  Metric m = kind(SummaryKind::min);
  m.on_nan = OnNan::worst;
  MetricValue value = summary(m, "1 NaN");
  CHECK(std::isnan(value.value));
  CHECK(value.worst);
  CHECK_FALSE(value.censored);

  m.on_nan = OnNan::censor;
  value = summary(m, "3 2 NaN 1");
  CHECK(value.value == 2);
  CHECK(value.censored);
  m.summary.kind = SummaryKind::last;
  CHECK(summary(m, "3 2 NaN 1 NaN").value == 2);
  CHECK(summary(m, "3 2 NaN 1").value == 1);

  const auto nothing_before = of_lines(study({m}), R"({"name":"x","value":NaN})").measurement;
  CHECK(nothing_before.verdict == RunState::failed);
  CHECK(kernel::newest_words(nothing_before.reason) ==
        "the metric `x` is NaN from its first value on, so it has no finite value");
  CHECK(nothing_before.values.empty());
}

TEST_CASE("a censored point censors a summary only where it could move it") {
  const auto censored = [](SummaryKind k, std::string_view lines) {
    return of_lines(study({kind(k)}), lines).measurement.values.at("x").censored;
  };
  const std::string_view high = R"({"name":"x","value":1}
{"name":"x","value":2}
{"name":"x","value":60,"censored":true})";
  CHECK_FALSE(censored(SummaryKind::median, high));
  CHECK_FALSE(censored(SummaryKind::min, high));
  CHECK(censored(SummaryKind::mean, high));
  CHECK(censored(SummaryKind::max, high));
  CHECK(censored(SummaryKind::p99, high));
  CHECK(censored(SummaryKind::last, high));
  const std::string_view low = R"({"name":"x","value":1,"censored":true}
{"name":"x","value":2}
{"name":"x","value":3})";
  CHECK(censored(SummaryKind::median, low));
  CHECK(censored(SummaryKind::min, low));
  CHECK_FALSE(censored(SummaryKind::last, low));
}
