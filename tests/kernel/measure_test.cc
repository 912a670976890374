#include "kernel/measure.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

#include <catch2/catch.hpp>

namespace {

using namespace kernel;

Metric metric(std::string name, SummaryKind kind = SummaryKind::last, bool primary = false) {
  Metric m;
  m.name = std::move(name);
  m.summary.kind = kind;
  m.primary = primary;
  return m;
}

Metric from(Metric m, MetricSource source) {
  m.source = std::move(source);
  return m;
}

StudySpec study(std::vector<Metric> metrics) {
  StudySpec spec;
  spec.metrics = std::move(metrics);
  return spec;
}

Measured of_lines(const StudySpec& spec, std::string_view lines) {
  return measure(spec, {lines, "", nullptr});
}

/// The one value of metric `x` for a summary over these values.
MetricValue summary(Metric m, const std::string& values) {
  std::string lines;
  std::size_t begin = 0;
  while (begin < values.size()) {
    const std::size_t end = std::min(values.find(' ', begin), values.size());
    lines += R"({"name":"x","value":)" + values.substr(begin, end - begin) + "}\n";
    begin = end + 1;
  }
  m.name = "x";
  return of_lines(study({m}), lines).measurement.values.at("x");
}

Metric kind(SummaryKind k) {
  return metric("x", k);
}

}  // namespace

TEST_CASE("the metrics file is read line by line, and what is malformed is counted") {
  const auto got = of_lines(study({metric("loss", SummaryKind::last, true)}),
                            "{\"name\":\"loss\",\"value\":0.5,\"step\":1}\n"
                            "\n   \r\n"  // blank
                            "{\"value\": 0.25, \"step\": 2.0, \"name\" : \"loss\", \"extra\": {\"a\":[1,{}]}}\r\n"
                            "not json\n"
                            "{\"name\":\"loss\"}\n"                                   // no value
                            "{\"value\":1}\n"                                         // no name
                            "{\"name\":\"loss\",\"value\":\"high\"}\n"                // no number
                            "{\"name\":\"loss\",\"value\":null}\n"                    // no number
                            "{\"name\":\"loss\",\"value\":true}\n"                    // no number
                            "{\"name\":7,\"value\":1}\n"                              // no name
                            "{\"name\":\"loss\",\"value\":1,\"step\":\"two\"}\n"      // no step
                            "{\"name\":\"loss\",\"value\":1,\"step\":0.5}\n"          // no whole step
                            "{\"name\":\"loss\",\"value\":1,\"censored\":\"yes\"}\n"  // no boolean
                            "{\"name\":\"loss\",\"value\":1} trailing\n"
                            "{\"name\":\"lo\xffss\",\"value\":1}\n"  // not UTF-8
                            "[1,2]\n"
                            "{\"name\":\"loss\",\"value\":01}\n"
                            "{\"name\":\"loss\",\"value\":0.125,\"st");  // the disk filled up here
  CHECK(got.measurement.malformed == 15);
  CHECK(got.measurement.points == 2);
  REQUIRE(got.points.size() == 2);
  CHECK(got.points[1].step == 2);
  CHECK(got.measurement.values.at("loss").value == 0.25);
  CHECK_FALSE(got.measurement.verdict);
}

TEST_CASE("a last line without an end counts when it is whole") {
  CHECK(of_lines(study({metric("x")}), R"({"name":"x","value":3})").measurement.values.at("x").value == 3);
}

TEST_CASE("a line of many megabytes is malformed, not read") {
  const std::string huge = R"({"name":"x","value":1,"note":")" + std::string(30 << 20, 'a') + "\"}\n";
  const auto got = of_lines(study({metric("x")}), huge + R"({"name":"x","value":2})");
  CHECK(got.measurement.malformed == 1);
  CHECK(got.measurement.values.at("x").value == 2);
}

TEST_CASE("brackets nested a million deep are malformed and overflow no stack") {
  const std::string deep = R"({"name":"x","value":1,"note":)" + std::string(60000, '[') + "\n";
  CHECK(of_lines(study({metric("x")}), deep).measurement.malformed == 1);
  const Sources file{"", "", [](const std::string&) { return std::string(1000000, '['); }};
  CHECK(measure(study({from(metric("x"), FromJsonFile{"r.json", "/x"})}), file).measurement.malformed == 1);
}

TEST_CASE("NaN and the infinities are understood bare, as Python writes them, and as strings") {
  const auto got = of_lines(study({}), R"({"name":"a","value":NaN}
{"name":"b","value":Infinity}
{"name":"c","value":-Infinity}
{"name":"a","value":"NaN"}
{"name":"b","value":"Infinity"}
{"name":"c","value":"-Infinity"}
{"name":"d","value":1e999}
)");
  REQUIRE(got.points.size() == 7);
  CHECK(std::isnan(got.points[0].value));
  CHECK(std::isnan(got.points[3].value));
  CHECK(got.points[1].value == std::numeric_limits<double>::infinity());
  CHECK(got.points[4].value == std::numeric_limits<double>::infinity());
  CHECK(got.points[2].value == -std::numeric_limits<double>::infinity());
  CHECK(got.points[5].value == -std::numeric_limits<double>::infinity());
  CHECK(got.points[6].value == std::numeric_limits<double>::infinity());
  CHECK(got.measurement.malformed == 0);
}

TEST_CASE("names and items may hold any escaped character") {
  const auto got = of_lines(study({}), R"({"name":"\u00e9\ud83d\ude00\n\"","value":1,"item":"q\/1"}
{"name":"lone \ud83d surrogate","value":1,"item":17}
{"name":"bad \x escape","value":1}
)");
  REQUIRE(got.points.size() == 2);
  CHECK(got.points[0].name == "é😀\n\"");
  CHECK(got.points[0].item == "q/1");
  CHECK(got.points[1].name == "lone \xEF\xBF\xBD surrogate");
  CHECK(got.points[1].item == "17");
  CHECK(got.measurement.malformed == 1);
}

TEST_CASE("lines for undeclared metrics are kept as points but not summarised") {
  const auto got = of_lines(study({metric("x")}), R"({"name":"y","value":1})");
  CHECK(got.points.size() == 1);
  CHECK(got.measurement.values.empty());
}

TEST_CASE("a metric declared from elsewhere is not read from the metrics file") {
  const auto got = measure(study({from(metric("acc", SummaryKind::max), FromStdout{"acc=([0-9.]+)"})}),
                           {R"({"name":"acc","value":99})", "acc=0.5", nullptr});
  CHECK(got.measurement.values.at("acc").value == 0.5);
  CHECK(got.points.size() == 1);
}

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
  CHECK(got.measurement.reason == "no value for the primary metric `x`: its 1 value is all warm-up");
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

TEST_CASE("without steps, time_to counts values from nought, those of the warm-up too") {
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
      CHECK(got.measurement.reason == "the metric `x` is not finite (NaN or an infinity)");
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
  CHECK(std::isnan(summary(m, "NaN").value));
  CHECK(summary(m, "NaN").censored);
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
  CHECK(got.measurement.reason ==
        "no value for the primary metric `x`: nothing in its output matches `acc=([0-9.]+|nan)`");
}

TEST_CASE("no line and no pattern can hang or overflow the matcher") {
  const auto start = std::chrono::steady_clock::now();
  std::string text = "b" + std::string(1 << 20, 'a') + "\n";
  auto got = measure(study({from(metric("x"), FromStdout{"(?:.|a)*(?:.*)*(a)"})}), {"", text, nullptr});
  CHECK(got.measurement.malformed == 2);
  // Backtracking takes time exponential in the line: every line is given up, and after a while all of them at once.
  for (int i = 0; i < 200; ++i) text += "b" + std::string(4000, 'a') + "\n";
  got = measure(study({from(metric("x"), FromStdout{"(a+)+b"})}), {"", text, nullptr});
  CHECK(got.points.empty());
  CHECK(got.measurement.malformed == 202);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
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
    return measure(study({m}), {lines, "", [&](const std::string&) { return content; }}).measurement.reason;
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

TEST_CASE("a JSON lines log serves several metrics, with its own steps or numbered from nought") {
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

TEST_CASE("a violated guard makes the run invalid, and so does one that cannot be checked") {
  StudySpec spec = study({metric("x", SummaryKind::last, true), metric("err", SummaryKind::max)});
  const auto with = [&](std::optional<double> at_most, std::optional<double> at_least, const std::string& err) {
    spec.guards = {{"err", at_most, at_least}};
    return of_lines(spec, "{\"name\":\"x\",\"value\":1}\n" + err).measurement;
  };
  const std::string half = R"({"name":"err","value":0.5})",
                    half_or_more = R"({"name":"err","value":0.5,"censored":true})";
  CHECK_FALSE(with(0.5, std::nullopt, half).verdict);
  CHECK_FALSE(with(std::nullopt, 0.5, half).verdict);
  CHECK(with(0.4, std::nullopt, half).verdict == RunState::invalid);
  CHECK(with(0.4, std::nullopt, half).reason == "`err` is 0.5, and at most 0.4 is allowed");
  CHECK(with(std::nullopt, 0.6, half).reason == "`err` is 0.5, and at least 0.6 is needed");
  CHECK(with(1, std::nullopt, "").reason == "the guard's metric `err` has no value");
  CHECK(with(1, std::nullopt, "").verdict == RunState::invalid);
  CHECK(with(1, std::nullopt, half_or_more).verdict == RunState::invalid);
  CHECK_FALSE(with(std::nullopt, 0.5, half_or_more).verdict);
  spec.metrics[1].on_nan = OnNan::worst;
  CHECK(with(1, std::nullopt, R"({"name":"err","value":NaN})").verdict == RunState::invalid);
}

TEST_CASE("a run that failed is not called invalid as well") {
  StudySpec spec = study({metric("x", SummaryKind::last, true)});
  spec.guards = {{"x", 1.0, std::nullopt}};
  CHECK(of_lines(spec, "").measurement.verdict == RunState::failed);
}

TEST_CASE("points written as JSON lines are read back unchanged") {
  const std::vector<MetricPoint> points = {{"loss", 0.1, 5, "", false},
                                           {"a\"b\n", -1e300, std::nullopt, "q17", true},
                                           {"n", std::numeric_limits<double>::quiet_NaN(), 0, "", false},
                                           {"i", -std::numeric_limits<double>::infinity(), -3, "é", false}};
  const std::string text = points_jsonl(points);
  CHECK(text.substr(0, text.find('\n')) == R"({"name":"loss","step":5,"value":0.1})");
  const auto back = points_from_jsonl(text);
  REQUIRE(back.size() == points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(back[i].name == points[i].name);
    CHECK((back[i].value == points[i].value || std::isnan(points[i].value)));
    CHECK(std::isnan(back[i].value) == std::isnan(points[i].value));
    CHECK(back[i].step == points[i].step);
    CHECK(back[i].item == points[i].item);
    CHECK(back[i].censored == points[i].censored);
  }
  CHECK(points_jsonl(back) == text);
}

TEST_CASE("half a million metric lines are measured in linear time") {
  std::string lines;
  const auto write = [&lines](int from, int to) {
    for (int i = from; i < to; ++i)
      lines +=
          R"({"name": "loss", "value": )" + std::to_string(1.0 / (i + 1)) + R"(, "step": )" + std::to_string(i) + "}\n";
  };
  const auto cpu_seconds = [&lines] {
    const std::clock_t start = std::clock();
    const auto got = of_lines(study({metric("loss", SummaryKind::median, true)}), lines);
    REQUIRE(got.measurement.malformed == 0);
    REQUIRE_FALSE(points_jsonl(got.points).empty());
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  write(0, 50000);
  cpu_seconds();  // touches the memory
  const double tenth = cpu_seconds();
  write(50000, 500000);
  const double whole = cpu_seconds();
  WARN("500,000 metric lines: " << whole << " s of processor time");
  CHECK(whole < 20 * tenth + 1);
}

TEST_CASE("a run of which not everything could be read is invalid and says why") {
  const StudySpec spec = study({metric("loss", SummaryKind::last, true)});
  const std::string line = R"({"name":"loss","value":0.5})"
                           "\n";
  Sources sources{line, "", nullptr};
  CHECK_FALSE(measure(spec, sources).measurement.verdict);
  sources.metrics_problem = "its metrics file is larger than 32 MB";
  const Measurement cut = measure(spec, sources).measurement;
  CHECK(cut.verdict == RunState::invalid);
  CHECK(cut.reason == sources.metrics_problem);
  CHECK(cut.values.at("loss").value == 0.5);

  sources.metrics_file = "";
  sources.metrics_problem = "its metrics file is not read: a symbolic link";
  const Measurement refused = measure(spec, sources).measurement;
  CHECK(refused.verdict == RunState::failed);
  CHECK(refused.reason == "no value for the primary metric `loss`: its metrics file is not read: a symbolic link");
}

TEST_CASE("a result file that is there and must not be read makes a run invalid; a missing one only lacks a value") {
  const StudySpec spec =
      study({metric("loss", SummaryKind::last, true), from(metric("acc"), FromJsonFile{"r.json", "/a"})});
  const std::string line = R"({"name":"loss","value":0.5})"
                           "\n";
  const auto with = [&](FileText file) {
    return measure(spec, {line, "", [&](const std::string&) { return file; }}).measurement;
  };
  CHECK_FALSE(with(FileText(std::nullopt)).verdict);
  CHECK_FALSE(with({"it came with the workspace", false}).verdict);
  const Measurement refused = with({"larger than 10 bytes", true});
  CHECK(refused.verdict == RunState::invalid);
  CHECK(refused.reason == "`r.json`: larger than 10 bytes");
}

TEST_CASE("points beyond the most that are kept make a run invalid, from whatever source they come") {
  std::string text(most_points + 10, '7');
  for (std::size_t i = 1; i < text.size(); i += 2) text[i] = i % 2000 == 1999 ? '\n' : ' ';
  text += text;
  Metric m = from(metric("x", SummaryKind::last, true), FromStdout{"([0-9])"});
  const auto got = measure(study({m}), {"", text, nullptr});
  CHECK(got.points.size() == most_points);
  CHECK(got.measurement.verdict == RunState::invalid);
  CHECK(got.measurement.reason == "it reported more than 500000 metric points");
}
