// Values from elsewhere than the metrics file: a job's output and its result files.

#include <cmath>

#include <catch2/catch.hpp>

#include "kernel/wording/wording.h"
#include "tests/kernel/measure/measured.h"

namespace {

using namespace kernel;
using measured::from;
using measured::kind;
using measured::metric;
using measured::study;

}  // namespace

TEST_CASE("every match in stdout is a value") {
  Metric m = from(kind(SummaryKind::max), FromStdout{"acc=([0-9.]+|nan)"});
  auto got = measure(study({m}), {"", "epoch 1 acc=0.5, acc=0.75.\nprogress\racc=0.9\rno\nacc=1.2.3\n", nullptr});
  CHECK(got.points.size() == 3);
  CHECK(got.measurement.malformed == 1);
  CHECK(got.measurement.values.at("x").value == 0.9);

  got = measure(study({m}), {"", "acc=nan", nullptr});
  CHECK(got.measurement.verdict == RunState::failed);

  m.primary = true;
  got = measure(study({m}), {"", "accuracy 0.5", nullptr});
  CHECK(kernel::newest_words(got.measurement.reason) ==
        "no value for the primary metric `x`: nothing in its output matches `acc=([0-9.]+|nan)`");
}

TEST_CASE("no line and no pattern can hang or overflow the matcher") {
  std::string text = "b" + std::string(1 << 20, 'a') + "\n";
  auto got = measure(study({from(metric("x"), FromStdout{"(?:.|a)*(?:.*)*(a)"})}), {"", text, nullptr});
  CHECK(got.measurement.malformed == 2);
  // Backtracking takes time exponential in the line, and this test would never end. But steps are counted: every line
  // is given up, and once the steps of the whole file are used, the other lines at once.
  for (int i = 0; i < 200; ++i) text += "b" + std::string(4000, 'a') + "\n";
  got = measure(study({from(metric("x"), FromStdout{"(a+)+b"})}), {"", text, nullptr});
  CHECK(got.points.empty());
  CHECK(got.measurement.malformed == 202);
}

TEST_CASE("patterns are ECMAScript, lazy repeats and back-references included") {
  const auto value = [](const std::string& pattern, const std::string& text) {
    return measure(study({from(metric("x"), FromStdout{pattern})}), {"", text, nullptr})
        .measurement.values.at("x")
        .value;
  };
  CHECK(value("acc=(.*?),", "acc=0.5, f1=0.6,") == 0.5);
  CHECK(value("loss.*acc=([0-9.]+)", "loss" + std::string(1000, ' ') + "acc=0.5") == 0.5);
  CHECK(value("^([0-9]+) \\1$", "7 7\n8 9") == 7);
  CHECK(pattern_problem("acc=([0-9.]+)").empty());
  CHECK_FALSE(pattern_problem("acc=([0-9.+").empty());
}

TEST_CASE("lines are skipped by a literal only if every match must contain it") {
  const auto matches = [](const std::string& pattern, const std::string& text) {
    return measure(study({from(metric("x"), FromStdout{pattern})}), {"", text, nullptr}).points.size();
  };
  CHECK(matches("loss: ?([0-9]+)", "loss:5") == 1);
  CHECK(matches("losses?=([0-9]+)", "loss=5\nlosse=5") == 1);
  CHECK(matches("los{1,2}=([0-9]+)", "los=5") == 1);
  CHECK(matches("xyz*=([0-9]+)", "xy=5") == 1);
  CHECK(matches("abcdef=([0-9]+)|q([0-9]+)", "abcdef=5") == 1);
  CHECK(matches("(?:abcdef)?=([0-9]+)", "=5") == 1);
  CHECK(matches("[abc\\]def]=([0-9]+)", "]=5") == 1);
  CHECK(matches("\\w+=([0-9]+)", "zz=5") == 1);
  CHECK(matches("(?!abc)q=([0-9]+)", "q=5") == 1);
}

TEST_CASE("a number in a JSON file is found by its pointer") {
  const Sources sources{"", "", [](const std::string& path) -> std::optional<std::string> {
                          if (path != "result.json") return std::nullopt;
                          return R"({"acc": 0.5, "a/b": {"~": [1, 2.5, "NaN", null]}, "acc": 0.75, "bad": NaN,
                                     "text": "high", "none": null, "nested": {"list": [{"v": 1}, {"v": 2}]}})";
                        }};
  const auto value = [&](const std::string& pointer, SummaryKind k = SummaryKind::last) {
    Metric m = from(kind(k), FromJsonFile{"result.json", pointer});
    m.on_nan = OnNan::worst;
    const auto got = measure(study({m}), sources).measurement;
    const auto it = got.values.find("x");
    return it == got.values.end() ? -1 : it->second.value;
  };
  CHECK(value("/acc") == 0.75);
  CHECK(value("acc") == 0.75);
  CHECK(value("/a~1b/~0/1") == 2.5);
  CHECK(value("/nested/list/1/v") == 2);
  CHECK(value("/nested/list/2/v") == -1);
  CHECK(value("/text") == -1);
  CHECK(value("/none") == -1);
  CHECK(std::isnan(value("/bad")));
  CHECK(value("/nested") == -1);
}

TEST_CASE("an array in a JSON file is a series") {
  const auto got = measure(study({from(kind(SummaryKind::min), FromJsonFile{"r.json", "/losses"})}),
                           {"", "", [](const std::string&) { return std::string(R"({"losses":[3, 1, 2]})"); }});
  CHECK(got.measurement.values.at("x").value == 1);
  REQUIRE(got.points.size() == 3);
  CHECK(got.points[1].step == 1);
}

TEST_CASE("why a primary metric has no value is said in its source's words") {
  const auto reason = [](MetricSource source, std::optional<std::string> content, std::string_view lines = "") {
    Metric m = from(metric("acc", SummaryKind::last, true), std::move(source));
    return kernel::newest_words(
        measure(study({m}), {lines, "", [&](const std::string&) { return content; }}).measurement.reason);
  };
  const std::string none = "no value for the primary metric `acc`: ";
  CHECK(reason(FromJsonFile{"r.json", "/acc"}, std::nullopt) == none + "`r.json` was not written");
  CHECK(reason(FromJsonFile{"r.json", "/acc"}, "{}") == none + "`r.json` has nothing at `/acc`");
  CHECK(reason(FromJsonFile{"r.json", "/acc"}, "{oops") == none + "`r.json` holds no readable number at `/acc`");
  CHECK(reason(FromJsonLines{"log.jsonl", "val/acc", ""}, std::nullopt) == none + "`log.jsonl` was not written");
  CHECK(reason(FromJsonLines{"log.jsonl", "val/acc", ""}, "{}") == none + "`log.jsonl` has no line with `val/acc`");
  CHECK(reason(FromMetricsFile{}, std::nullopt) == none + "the job wrote nothing to ETUDE_METRICS");
  CHECK(reason(FromMetricsFile{}, std::nullopt, "{\"name\":\"accuracy\\n\",\"value\":1}") ==
        none + "the job reported `accuracy `");
}

TEST_CASE("what stood where a number should is named") {
  const auto got = [](const MetricSource& source, const std::string& file, const std::string& reported = "") {
    const Metric m = from(metric("acc", SummaryKind::last, true), source);
    return kernel::newest_words(
        measure(study({m}), {reported, "acc=many\n", [&](const std::string&) { return file; }}).measurement.reason);
  };
  const std::string none = "no value for the primary metric `acc`: ";
  const FromMetricsFile own;
  CHECK(got(own, "", R"({"name": "acc", "value": true})") == none + "`true` is no number");
  CHECK(got(own, "", R"({"name": "acc", "value": "many"})") == none + "`\"many\"` is no number");
  CHECK(got(own, "", R"({"value": [1, 2], "name": "acc"})") == none + "`[1, 2]` is no number");
  CHECK(got(FromStdout{"acc=(\\w+)"}, "") == none + "`many` is no number");
  CHECK(got(FromJsonFile{"f.json", "/acc"}, R"({"acc": "half"})") == none + "`\"half\"` is no number");
  CHECK(got(FromJsonLines{"f.jsonl", "acc", ""}, R"({"acc": false})") == none + "`false` is no number");
  CHECK(got(FromCsv{"f.csv", "acc", ""}, "acc\nn/a\n") == none + "`n/a` is no number");
  // One number is enough.
  CHECK(got(own, "", "{\"name\": \"acc\", \"value\": true}\n{\"name\": \"acc\", \"value\": 1}").empty());
}

TEST_CASE("a JSON lines log serves several metrics, with its own steps or numbered from zero") {
  const std::string log = R"({"iter": 10, "train/loss": 3.5}
{"iter": 20, "train/loss": 3.0, "val/loss": 3.2}
{"message": "saved"}
{"iter": 30, "train/loss": null, "val/loss": "oops"}
half a li
{"iter": 40, "train/loss": 2.5, "val/loss": 3.1}
)";
  const auto got = measure(study({from(metric("train"), FromJsonLines{"log.jsonl", "train/loss", ""}),
                                  from(metric("val"), FromJsonLines{"log.jsonl", "val/loss", "iter"})}),
                           {"", "", [&](const std::string&) { return log; }});
  CHECK(got.measurement.values.at("train").value == 2.5);
  CHECK(got.measurement.values.at("val").value == 3.1);
  CHECK(got.measurement.malformed == 2);
  std::vector<std::int64_t> train, val;
  for (const MetricPoint& p : got.points) (p.name == "train" ? train : val).push_back(p.step.value());
  CHECK(train == std::vector<std::int64_t>{0, 1, 2});
  CHECK(val == std::vector<std::int64_t>{20, 40});
}

TEST_CASE("a file that several metrics name is read once") {
  int reads = 0;
  measure(study({from(metric("a"), FromJsonFile{"r.json", "/a"}), from(metric("b"), FromJsonFile{"r.json", "/b"}),
                 from(metric("c"), FromJsonLines{"r.json", "c", ""})}),
          {"", "", [&](const std::string&) {
             ++reads;
             return std::string("{}");
           }});
  CHECK(reads == 1);
}

TEST_CASE("a step group gives the values their steps, on either side of the number") {
  const auto points = [](const char* pattern, const char* text) {
    return measure(study({from(metric("x"), FromStdout{pattern})}), {"", text, nullptr}).points;
  };
  const char* text = "step 0: train loss 2.5, val loss 2.6\nstep 50: train loss 2.1, val loss 2.3\n";
  const auto val = points(R"(step (?<step>\d+):.*val loss ([0-9.]+))", text);
  REQUIRE(val.size() == 2);
  CHECK((val[1].step == 50 && val[1].value == 2.3));
  const auto behind = points(R"([(\]]?loss ([0-9.]+) at (?P<step>[0-9]+))", "loss 0.5 at 7\nloss 0.4 at 8\n");
  REQUIRE(behind.size() == 2);
  CHECK((behind[0].step == 7 && behind[0].value == 0.5));
  Metric time = kind(SummaryKind::time_to);
  time.summary.target_metric = "loss";
  time.summary.target = 2.4;
  const auto got = measure(study({time, from(metric("loss"), FromStdout{R"(step (?<step>\d+):.*val loss ([0-9.]+))"})}),
                           {"", text, nullptr});
  CHECK(got.measurement.values.at(time.name).value == 50);
}
