// What is told of recorded studies, which events say nothing, and that no metric's value is in a message.
#include "apps/session/notify/notice.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "tests/places.h"

namespace {

using config::NotifyOn;
using session::Notice;

struct Told {
  std::map<std::string, std::vector<Notice>> by_log;
  std::map<std::string, kernel::State> states;
};

/// The messages of every recorded log, with its study's end, which a recorded log lacks.
Told told() {
  Told all;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() + "/tests/kernel/golden/logs")) {
    const std::string name = entry.path().stem().string();
    std::ifstream in(entry.path(), std::ios::binary);
    kernel::State& state = all.states[name];
    const auto follow = [&](const kernel::Event& event) {
      kernel::apply(state, event);
      if (auto message = session::notice_about(event, *state.study(event.study)))
        all.by_log[name].push_back(std::move(*message));
    };
    std::optional<kernel::Event> last;
    for (std::string line; std::getline(in, line);) follow(last.emplace(kernel::read_event_line(line)->decoded()));
    const kernel::Study& study = *state.study(last->study);
    if (!study.outcome) continue;
    last->body = kernel::StudyEnded{*study.outcome, study.outcome_detail};
    follow(*last);
  }
  return all;
}

}  // namespace

TEST_CASE("each study that ends is told once, with its outcome and the numbers of its verdicts") {
  const Told all = told();
  int ended = 0;
  for (const auto& [log, messages] : all.by_log) {
    CAPTURE(log);
    const kernel::Study& study = all.states.at(log).studies.begin()->second;
    if (study.state != kernel::StudyState::ended) continue;
    CHECK(std::ranges::count_if(
              messages, [](const Notice& m) { return m.on == NotifyOn::ended || m.on == NotifyOn::failed; }) == 1);
    const nlohmann::json& facts = messages.back().facts;
    CHECK(facts.at("study") == study.id);
    CHECK(facts.at("outcome") == name(*study.outcome));
    int verdicts = 0, judged = 0;
    for (const auto& [verdict, count] : facts.at("verdicts").items()) verdicts += count.get<int>();
    for (const kernel::HypothesisRecord& record : study.hypotheses) judged += record.result ? 1 : 0;
    CHECK(verdicts == judged);
    CHECK(facts.at("text").get<std::string>().find(study.spec.title) != std::string::npos);
    ++ended;
  }
  CHECK(ended > 10);
}

TEST_CASE("pauses are told with their reason, but not those of forks, whose studies have just been made") {
  kernel::Study study;
  study.id = "s4";
  study.spec.title = "A title";
  study.state = kernel::StudyState::paused;
  const auto about = [&](kernel::EventBody body) {
    return session::notice_about({"s4", "kernel", {}, std::move(body)}, study);
  };
  study.pause_reason = kernel::PauseReason::budget;
  const auto paused = about(kernel::StudyPaused{kernel::PauseReason::budget, kernel::as_said("runs: 4 of 4")});
  REQUIRE(paused);
  CHECK(paused->on == NotifyOn::paused);
  CHECK(paused->facts.at("text") == "Study s4 (A title) is paused: budget: runs: 4 of 4");
  CHECK(paused->facts.at("reason") == "budget");
  CHECK(paused->facts.at("outcome").is_null());
  CHECK_FALSE(about(kernel::StudyPaused{kernel::PauseReason::fork, {}}));
  CHECK_FALSE(about(kernel::StudyPaused{kernel::PauseReason::gate, {}}));
  kernel::Gate gate;
  gate.id = "s4-g1";
  gate.what = kernel::as_said("may it go on?");
  const auto waits = about(kernel::GateOpened{gate});
  REQUIRE(waits);
  CHECK(waits->on == NotifyOn::waits);
  CHECK(waits->facts.at("gate") == "s4-g1");
  CHECK_FALSE(about(kernel::StudyResumed{}));
  study.outcome = kernel::StudyOutcome::failed;
  const auto failed = about(kernel::StudyEnded{kernel::StudyOutcome::failed, {}});
  REQUIRE(failed);
  CHECK(failed->on == NotifyOn::failed);
}

TEST_CASE("an outage of a model's provider is told once, however often and by how many lines it is asked") {
  kernel::Study study;
  study.id = "s4";
  study.spec.title = "A title";
  study.thinking.lines.resize(2);
  const auto asked = [&](int line, double again_in_s) {
    kernel::CallEnd end;
    if (again_in_s > 0)
      end.failure = {kernel::ReasonCode::provider_awaited, {{"model", "m"}, {"failure", "unreachable: no route"}}};
    end.again_in_s = again_in_s;
    kernel::ModelCall call;
    call.number = static_cast<int>(study.thinking.calls.size()) + 1;
    call.line = line;
    call.state = again_in_s > 0 ? kernel::CallState::failed : kernel::CallState::answered;
    study.thinking.calls.push_back(call);
    study.thinking.lines[static_cast<std::size_t>(line)].waits = end.failure;
    return session::notice_about({"s4", "kernel", {}, kernel::ModelAnswered{call.number, end}}, study);
  };
  CHECK_FALSE(asked(0, 0));
  const auto first = asked(0, 15);
  REQUIRE(first);
  CHECK(first->on == NotifyOn::waits);
  CHECK(first->facts.at("gate").is_null());
  const std::string text = first->facts.at("text");
  CHECK(text.starts_with("Study s4 (A title) waits for a model's provider: "));
  CHECK(text.find("unreachable: no route") != text.npos);
  CHECK_FALSE(asked(0, 30));
  CHECK_FALSE(asked(1, 15));
  CHECK_FALSE(asked(0, 0));
  CHECK_FALSE(asked(1, 30));
  CHECK_FALSE(asked(1, 0));
  CHECK(asked(1, 15));
}

TEST_CASE("that jobs wait is told of no study, with the members of every message") {
  const Notice told = session::notice_of_jobs("Slurm does not answer: timed out", 1'000);
  CHECK(told.on == NotifyOn::waits);
  CHECK(told.facts.at("text") == "Jobs wait: Slurm does not answer: timed out");
  CHECK(told.facts.at("study").is_null());
  const auto of_study = session::notice_about(
      {"s4", "kernel", {}, kernel::StudyPaused{kernel::PauseReason::budget, {}}}, kernel::Study{});
  REQUIRE(of_study);
  for (const auto& [member, value] : of_study->facts.items()) CHECK(told.facts.contains(member));
}

TEST_CASE("no metric's value is in a message") {
  const Told all = told();
  std::size_t values = 0;
  for (const auto& [log, messages] : all.by_log)
    for (const Notice& message : messages) {
      const std::string text = message.facts.dump();
      for (const kernel::Run& run : all.states.at(log).studies.begin()->second.runs)
        for (const auto& [metric, value] : run.measurement.values) {
          const std::string shown = nlohmann::json(value.value).dump();
          if (shown.size() < 6) continue;  // Short numbers are in many facts.
          ++values;
          if (text.find(shown) != std::string::npos) FAIL_CHECK(log << ": " << shown << " in " << text);
        }
    }
  CHECK(values > 0);
}
