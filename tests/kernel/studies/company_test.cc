// Which runs had a busy machine, which metrics that matters to, and how a verdict says so.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/verdicts/cautions.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/inference/synthetic.h"
#include "tests/kernel/studies/simulated_study.h"

using kernel::Cell;
using kernel::HypothesisResult;
using kernel::MachineUse;
using kernel::Usage;

namespace {

Usage with(MachineUse machine) {
  Usage usage;
  usage.machine = machine;
  return usage;
}

kernel::Metric in(const std::string& unit, kernel::MetricType type = kernel::MetricType::continuous) {
  kernel::Metric metric;
  metric.name = "y";
  metric.unit = unit;
  metric.type = type;
  return metric;
}

bool timing(const kernel::Metric& metric) {
  kernel::StudySpec spec;
  spec.metrics = {metric};
  return kernel::is_timing(spec, spec.metrics[0]);
}

kernel::StudySpec ten_each(const std::string& unit) {
  kernel::StudySpec spec = synthetic::study(10);
  spec.title = "Busy";
  spec.question = "Is it?";
  spec.metrics[0].unit = unit;
  spec.hypotheses = {synthetic::compare(kernel::Direction::less)};
  spec.hypotheses[0].statement = "It is.";
  return spec;
}

/// Values around 10, less under treatment; `busy` says beside which runs others were.
std::vector<std::string> warnings(const kernel::StudySpec& spec, const std::function<bool(const Cell&, int)>& busy,
                                  const std::function<double(double, int)>& bend = {}) {
  stats::Xoshiro random(3);
  simulated::Simulation simulation([&](const kernel::Run& run, const Cell& cell, int) {
    simulated::Outcome outcome;
    const double value = 10 + random.normal() - (cell.at("arm") == "t" ? 5 : 0);
    outcome.value = bend ? bend(value, run.number) : value;
    if (busy(cell, run.replicate)) outcome.usage = with({1, 2, 2});
    return outcome;
  });
  return kernel::newest_words(simulation.conclude(spec).hypotheses[0].result->warnings);
}

std::string that_begins(const std::vector<std::string>& list, const std::string& beginning) {
  for (const std::string& warning : list)
    if (warning.find(beginning) != std::string::npos) return warning;
  return "";
}

}  // namespace

TEST_CASE("a machine is busy that is nine tenths in use, one tenth of it by others") {
  CHECK(kernel::was_busy(with({0.8, 7.2, 8})));
  CHECK_FALSE(kernel::was_busy(with({0.79, 8, 8})));
  CHECK_FALSE(kernel::was_busy(with({7, 7.1, 8})));
  CHECK(kernel::was_busy(with({8, 8, 8})));
  CHECK_FALSE(kernel::was_busy(with({1, 1, 0})));
  CHECK_FALSE(kernel::was_busy(Usage{}));
}

TEST_CASE("times are told by their type, their unit, or by being so many per time") {
  for (const char* unit : {"ns", "us", "µs", "ms", "s", "min", "h", "tok/s", "it/s", "MB/s", "req/min", "ms/step"}) {
    CAPTURE(unit);
    CHECK(timing(in(unit)));
  }
  for (const char* unit : {"", "MB", "%", "points", "m", "J", "km/", "/tok", "steps"}) {
    CAPTURE(unit);
    CHECK_FALSE(timing(in(unit)));
  }
  CHECK(timing(in("", kernel::MetricType::time)));
  kernel::StudySpec spec;
  spec.metrics = {in("ms"), in("")};
  spec.metrics[1].name = "speedup";
  spec.metrics[1].derived = kernel::Derived{"y", {}, true};
  CHECK(kernel::is_timing(spec, spec.metrics[1]));
}

TEST_CASE("what others used is written where it is known, and null where it is not") {
  const nlohmann::json known = kernel::usage_shape(with({0.25, 1.5, 4}));
  CHECK(known.at("others_cpus") == 0.25);
  CHECK(known.at("machine").at("used_cpus") == 1.5);
  CHECK(kernel::usage_shape(Usage{}).at("others_cpus").is_null());
  const auto back = nlohmann::json(with({0.25, 1.5, 4})).get<Usage>();
  REQUIRE(back.machine);
  CHECK(back.machine->cpus == 4);
}

TEST_CASE("a verdict on times counts the runs that ran on a busy machine, by arm") {
  const auto some = [](const Cell& cell, int replicate) { return replicate <= (cell.at("arm") == "t" ? 5 : 1); };
  CHECK(that_begins(warnings(ten_each("ms"), some), "busy machine") ==
        "6 of 20 runs ran on a busy machine (treatment 5, control 1): their times may be too long");
  CHECK(that_begins(warnings(ten_each("MB"), some), "busy machine").empty());
  CHECK(that_begins(warnings(ten_each("ms"), [](const Cell&, int) { return false; }), "busy machine").empty());
}

TEST_CASE("a verdict names the values that lie far from their cell's, and keeps them") {
  const auto nobody = [](const Cell&, int) { return false; };
  const auto far = [](double value, int run) { return run == 7 ? value + 50 : value; };
  const std::string one = that_begins(warnings(ten_each("ms"), nobody, far), "outliers");
  CAPTURE(one);
  CHECK(one.find("outliers kept: r7 (") == 0);
  CHECK(one.find(" ms, ") != std::string::npos);
  CHECK(one.find("r8 (") == std::string::npos);
  CHECK(that_begins(warnings(ten_each("ms"), nobody), "outliers").empty());
  // Eight of the thirty of an arm are too many to be named.
  kernel::StudySpec spec = ten_each("ms");
  spec.design.replicates_min = spec.design.replicates_max = 30;
  const auto many = [](double value, int run) { return run % 8 == 0 ? value + 1000 + run : value; };
  const std::string text = that_begins(warnings(spec, nobody, many), "outliers");
  CAPTURE(text);
  CHECK(text.find("r8 (") != std::string::npos);
  CHECK(text.find(" and 2 more") != std::string::npos);
  // Of logarithms a factor of ten is as far below as above.
  kernel::StudySpec logs = ten_each("MB");
  logs.metrics[0].scale = kernel::Scale::log;
  const auto small = [](double value, int run) {
    return run == 7 ? 0.01 : std::exp(0.1 * (value - 10)) * (value > 7 ? 10 : 5);
  };
  CHECK(that_begins(warnings(logs, nobody, small), "outliers").find("outliers kept: r7 (0.01") == 0);
}
