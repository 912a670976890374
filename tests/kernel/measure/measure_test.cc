#include "kernel/measure/measure.h"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "kernel/wording/wording.h"
#include "tests/cost.h"
#include "tests/kernel/measure/measured.h"

namespace {

using namespace kernel;
using measured::from;
using measured::metric;
using measured::of_lines;
using measured::study;

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
  CHECK(kernel::newest_words(with(0.4, std::nullopt, half).reason) == "`err` is 0.5, and at most 0.4 is allowed");
  CHECK(kernel::newest_words(with(std::nullopt, 0.6, half).reason) == "`err` is 0.5, and at least 0.6 is needed");
  CHECK(kernel::newest_words(with(1, std::nullopt, "").reason) == "the guard's metric `err` has no value");
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
  const auto lines = [](int number) {
    std::string text;
    for (int i = 0; i < number; ++i)
      text +=
          R"({"name": "loss", "value": )" + std::to_string(1.0 / (i + 1)) + R"(, "step": )" + std::to_string(i) + "}\n";
    return text;
  };
  CHECK(tests::growth(125'000, lines, [](const std::string& text) {
          const auto got = of_lines(study({metric("loss", SummaryKind::median, true)}), text);
          REQUIRE(got.measurement.malformed == 0);
          REQUIRE_FALSE(points_jsonl(got.points).empty());
        }) < tests::linear);
}

TEST_CASE("a run of which not everything could be read is invalid and says why") {
  const StudySpec spec = study({metric("loss", SummaryKind::last, true)});
  const std::string line = R"({"name":"loss","value":0.5})"
                           "\n";
  Sources sources{line, "", nullptr};
  CHECK_FALSE(measure(spec, sources).measurement.verdict);
  sources.metrics_problem = {kernel::ReasonCode::metrics_file_too_large, {{"most", 32}}};
  const Measurement cut = measure(spec, sources).measurement;
  CHECK(cut.verdict == RunState::invalid);
  CHECK(kernel::newest_words(cut.reason) == "its metrics file is larger than 32 MB");
  CHECK(cut.values.at("loss").value == 0.5);

  sources.metrics_file = "";
  sources.metrics_problem = {kernel::ReasonCode::metrics_file_unread, {{"problem", "a symbolic link"}}};
  const Measurement refused = measure(spec, sources).measurement;
  CHECK(refused.verdict == RunState::failed);
  CHECK(kernel::newest_words(refused.reason) ==
        "no value for the primary metric `loss`: its metrics file is not read: a symbolic link");
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
  CHECK(kernel::newest_words(refused.reason) == "`r.json`: larger than 10 bytes");
}

TEST_CASE("points beyond the most that are kept make a run invalid, from whatever source they come") {
  std::string text(most_points + 10, '7');
  for (std::size_t i = 1; i < text.size(); i += 2) text[i] = i % 2000 == 1999 ? '\n' : ' ';
  text += text;
  Metric m = from(metric("x", SummaryKind::last, true), FromStdout{"([0-9])"});
  const auto got = measure(study({m}), {"", text, nullptr});
  CHECK(got.points.size() == most_points);
  CHECK(got.measurement.verdict == RunState::invalid);
  CHECK(kernel::newest_words(got.measurement.reason) == "it reported more than 500000 metric points");
}

TEST_CASE("an item has one value in a run, and each line of its metric an item") {
  StudySpec spec = study({metric("right", SummaryKind::mean, true)});
  Hypothesis h;
  h.id = HypothesisId("H1");
  h.metric = "right";
  h.unit = TestUnit::item;
  spec.hypotheses = {h};
  const auto why = [&](const char* lines) {
    const Measured got = of_lines(spec, lines);
    return got.measurement.verdict == RunState::failed ? newest_words(got.measurement.reason) : "";
  };
  CHECK(why("{\"name\":\"right\",\"value\":1,\"item\":\"a\"}\n{\"name\":\"right\",\"value\":0,\"item\":\"b\"}\n") ==
        "");
  CHECK(why("{\"name\":\"right\",\"value\":1,\"item\":\"a\"}\n{\"name\":\"right\",\"value\":0,\"item\":\"a\"}\n") ==
        "it reported `right` of the item `a` more than once: an item has one value per run");
  CHECK(why("{\"name\":\"right\",\"value\":1,\"item\":\"a\"}\n{\"name\":\"right\",\"value\":0}\n") ==
        "1 line of `right` names no `item`, and others do: name the item in every one");
}
