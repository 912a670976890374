// What the kernel counts, from events: the thinking study of the recorded logs, as its kernel would have seen it.
#include "apps/session/meters/meters.h"

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernel/codec/codec.h"
#include "kernel/study/ledger.h"
#include "tests/places.h"

namespace {

/// The text's samples by name and labels.
std::map<std::string, double> samples(const std::string& text) {
  std::map<std::string, double> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t space = line.rfind(' ');
    REQUIRE(all.emplace(line.substr(0, space), std::stod(line.substr(space + 1))).second);
  }
  return all;
}

std::map<std::string, double> samples(const session::Meters& meters) {
  return samples(meters.text({1.5, 20, 400, 7}, {4, 0, {{"GPU-1", 0}}, {}}));
}

}  // namespace

TEST_CASE("calls, tokens and money of models are counted as they are charged") {
  std::ifstream in(tests::source_dir() + "/tests/kernel/golden/logs/thinking.jsonl", std::ios::binary);
  session::Meters meters;
  kernel::State state;
  std::string study;
  double seconds = 0;
  int waiting_at_most = 0;
  for (std::string line; std::getline(in, line);) {
    const kernel::Event event = kernel::read_event_line(line)->decoded();
    kernel::apply(state, event);
    study = event.study;
    meters.committed(event, *state.study(study));
    if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) seconds += answered->end.seconds;
    waiting_at_most =
        std::max(waiting_at_most,
                 static_cast<int>(samples(meters).at(fmt::format("etude_study_model_calls{{study=\"{}\"}}", study))));
  }
  CHECK(waiting_at_most >= 1);
  const kernel::Study& end = *state.study(study);
  const auto found = samples(meters);
  double calls = 0, took = 0, tokens = 0, dollars = 0, runs = 0;
  for (const auto& [name, value] : found) {
    if (name.starts_with("etude_model_call_seconds_count")) calls += value;
    if (name.starts_with("etude_model_call_seconds_sum")) took += value;
    if (name.starts_with("etude_model_tokens_total")) tokens += value;
    if (name.starts_with("etude_model_dollars_total")) dollars += value;
    if (name.starts_with("etude_runs_ended_total")) runs += value;
  }
  CHECK(calls == static_cast<double>(end.thinking.calls.size()));
  CHECK(took == Approx(seconds));
  const kernel::Account sum = kernel::spent(end);
  REQUIRE(sum.tokens > 0);
  CHECK(tokens == static_cast<double>(sum.tokens));
  CHECK(dollars == Approx(sum.usd));
  CHECK(runs == static_cast<double>(end.runs.size()));
  CHECK(found.at(fmt::format("etude_study_budget_tokens{{study=\"{}\",part=\"spent\"}}", study)) == tokens);
  CHECK(found.at("etude_loop_wait_seconds{quantile=\"0.99\"}") == 0.02);
  CHECK(found.at("etude_machine_gpus") == 1);
}

TEST_CASE("a value is counted in every bucket whose bound it does not exceed") {
  constexpr std::array bounds = {0.5, 2.0};
  session::Histogram histogram(bounds);
  for (const double value : {0.1, 0.5, 0.6, 2.0, 3.0}) histogram.observe(value);
  session::Exposition out;
  out.family("wait", session::Exposition::Type::histogram, "How long");
  out.sample({{"of", "a \"b\"\\\nc"}}, histogram);
  const std::string label = "of=\"a \\\"b\\\"\\\\\\nc\"";
  CHECK(out.take() ==
        "# HELP wait How long\n# TYPE wait histogram\n"
        "wait_bucket{" +
            label + ",le=\"0.5\"} 2\nwait_bucket{" + label +
            ",le=\"2\"} 4\n"
            "wait_bucket{" +
            label + ",le=\"+Inf\"} 5\nwait_sum{" + label + "} 6.2\nwait_count{" + label + "} 5\n");
}

TEST_CASE("commits that wait for the disk are counted apart from those that only report") {
  session::Meters meters;
  meters.stored(0.002, 3, true);
  meters.stored(0.0001, 1, false);
  const auto found = samples(meters);
  CHECK(found.at("etude_events_total") == 4);
  CHECK(found.at("etude_store_commit_seconds_bucket{durable=\"true\",le=\"0.001\"}") == 0);
  CHECK(found.at("etude_store_commit_seconds_bucket{durable=\"true\",le=\"0.003\"}") == 1);
  CHECK(found.at("etude_store_commit_seconds_count{durable=\"false\"}") == 1);
}
