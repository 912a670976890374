// Timelines of recorded logs, read back from the written file as a viewer reads it: slices nest, flows lead from
// hypotheses to claims, and counters end where the ledger does.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/codec/codec.h"
#include "kernel/study/ledger.h"
#include "kernel/timeline/chrome_trace.h"
#include "tests/places.h"

using kernel::Event;
using kernel::Time;
using kernel::TimelineClock;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

struct Recorded {
  std::string name;
  std::vector<Event> events;
  kernel::State state;
  const kernel::Study& study() const { return state.studies.begin()->second; }
};

Recorded recorded(const fs::path& log) {
  Recorded read{log.stem().string(), {}, {}};
  std::ifstream in(log, std::ios::binary);
  for (std::string line; std::getline(in, line);) read.events.push_back(kernel::read_event_line(line)->decoded());
  for (const Event& event : read.events) kernel::apply(read.state, event);
  return read;
}

std::vector<Recorded> all_recorded() {
  std::vector<Recorded> all;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/kernel/golden/logs"))
    all.push_back(recorded(entry.path()));
  return all;
}

/// The written file's events, up to the `most`-th event of the log.
json traced(const std::vector<Event>& events, std::size_t most = ~std::size_t{0}) {
  std::string file;
  kernel::ChromeTrace document([&](std::string_view bytes) { file += bytes; }, {{"study", "s"}});
  kernel::Timeline timeline([&](const kernel::TimelineItem& item) { document.add(item); });
  kernel::State state;
  for (const Event& event : events) {
    if (most-- == 0) break;
    kernel::apply(state, event);
    timeline.add(event, *state.study(event.study));
  }
  timeline.finish();
  document.finish();
  return json::parse(file).at("traceEvents");
}

using LaneKey = std::pair<int, int>;

LaneKey lane_of(const json& event) {
  return {event.at("pid"), event.at("tid")};
}

std::map<LaneKey, std::vector<json>> slices_by_lane(const json& events) {
  std::map<LaneKey, std::vector<json>> lanes;
  for (const json& event : events)
    if (event.at("ph") == "X") lanes[lane_of(event)].push_back(event);
  // As viewers sort: by begin, else in the order of the file.
  for (auto& [lane, slices] : lanes)
    std::ranges::stable_sort(slices, {}, [](const json& slice) { return slice.at("ts").get<std::int64_t>(); });
  return lanes;
}

/// Whether a viewer that keeps a stack of open slices finds each slice within the one below it.
bool nests(const std::vector<json>& slices) {
  std::vector<std::int64_t> open;
  for (const json& slice : slices) {
    const std::int64_t begin = slice.at("ts"), end = begin + slice.at("dur").get<std::int64_t>();
    while (!open.empty() && open.back() <= begin) open.pop_back();
    if (end <= begin || (!open.empty() && end > open.back())) return false;
    open.push_back(end);
  }
  return true;
}

std::map<LaneKey, std::string> names(const json& events) {
  std::map<LaneKey, std::string> all;
  for (const json& event : events)
    if (event.at("name") == "thread_name") all[lane_of(event)] = event.at("args").at("name");
  return all;
}

int process(kernel::LaneGroup group) {
  return static_cast<int>(group) + 1;
}

}  // namespace

TEST_CASE("in every recorded study, and after each of its events, the slices of a lane nest") {
  for (const Recorded& log : all_recorded()) {
    CAPTURE(log.name);
    const std::size_t step = std::max<std::size_t>(1, log.events.size() / 25);
    for (std::size_t most = 1; most < log.events.size() + step; most += step) {
      const json events = traced(log.events, most);
      const auto named = names(events);
      for (const auto& [lane, slices] : slices_by_lane(events)) {
        CAPTURE(lane, most);
        REQUIRE(nests(slices));
        REQUIRE(named.contains(lane));
      }
    }
  }
}

TEST_CASE("each run that was started lies on as many CPU slots as its lease, and nothing else does") {
  std::size_t runs = 0;
  for (const Recorded& log : all_recorded()) {
    CAPTURE(log.name);
    std::map<std::string, int> wanted, found;
    for (const Event& event : log.events)
      if (const auto* starting = std::get_if<kernel::RunStarting>(&event.body))
        wanted[log.study().run_id(starting->run)] += std::max(1, starting->lease.cpus);
    for (const json& event : traced(log.events))
      if (event.at("ph") == "X" && event.at("pid") == process(kernel::LaneGroup::cpus) &&
          event.at("args").contains("run"))
        ++found[event.at("args").at("run")];
    CHECK(found == wanted);
    runs += wanted.size();
  }
  CHECK(runs > 300);
}

TEST_CASE("runs that are recorded ahead begin when they run, so they need no more slots") {
  std::size_t moved = 0;
  for (const Recorded& log : all_recorded()) {
    CAPTURE(log.name);
    const auto slots = [&](const std::vector<Event>& events) {
      std::map<int, std::set<std::string>> runs;
      for (const json& event : traced(events))
        if (event.at("ph") == "X" && event.at("pid") == process(kernel::LaneGroup::cpus) &&
            event.at("args").contains("run"))
          runs[event.at("tid")].insert(event.at("args").at("run"));
      return runs;
    };
    // Each registered run is recorded as starting right behind the one before it.
    std::vector<Event> ahead = log.events;
    std::size_t behind = 0;  // Of the one before it; 0: there is none.
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      const auto& body = ahead[i].body;
      if (std::holds_alternative<kernel::RunsQueued>(body) || std::holds_alternative<kernel::RunRequeued>(body) ||
          std::holds_alternative<kernel::StudyForked>(body))
        behind = 0;
      const auto* starting = std::get_if<kernel::RunStarting>(&ahead[i].body);
      if (!starting || !starting->lease.gpus.empty()) continue;
      const kernel::Run& run = *log.study().run(starting->run);
      if (run.purpose != kernel::Purpose::registered || run.attempt > 1 || !run.needs.empty() ||
          run.outcome.started_ms == 0)
        continue;
      if (behind > 0 && ++moved > 0)
        std::rotate(ahead.begin() + static_cast<std::ptrdiff_t>(++behind),
                    ahead.begin() + static_cast<std::ptrdiff_t>(i), ahead.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      else
        behind = i;
    }
    const auto before = slots(log.events), after = slots(ahead);
    CHECK(after.size() <= before.size());
    std::set<std::string> all_before, all_after;
    for (const auto& [slot, runs] : before) all_before.insert(runs.begin(), runs.end());
    for (const auto& [slot, runs] : after) all_after.insert(runs.begin(), runs.end());
    CHECK(all_after == all_before);
    for (const auto& [lane, slices] : slices_by_lane(traced(ahead))) CHECK(nests(slices));
  }
  CHECK(moved > 50);
}

TEST_CASE("model calls lie within their line of work, on a lane of their role") {
  const Recorded log = recorded(tests::source_dir() + "/tests/kernel/golden/logs/thinking.jsonl");
  std::map<std::string, int> wanted;
  for (const kernel::ModelCall& call : log.study().thinking.calls)
    ++wanted[log.study().thinking.lines.at(static_cast<std::size_t>(call.line)).role];
  REQUIRE(!wanted.empty());
  const json events = traced(log.events);
  const auto named = names(events);
  std::map<std::string, int> found;
  for (const auto& [lane, slices] : slices_by_lane(events)) {
    if (lane.first != process(kernel::LaneGroup::agents)) continue;
    const std::string role = named.at(lane).substr(0, named.at(lane).find(' '));
    std::int64_t until = 0;
    for (const json& slice : slices) {
      const std::int64_t end = slice.at("ts").get<std::int64_t>() + slice.at("dur").get<std::int64_t>();
      if (slice.at("cat") == "model") {
        ++found[role];
        CHECK(end <= until);
      } else if (slice.at("cat") != "tool") {
        until = end;
      }
    }
  }
  CHECK(found == wanted);
}

TEST_CASE("a flow leads from every registered hypothesis to its claim, each point within a slice") {
  std::size_t flows = 0;
  for (const Recorded& log : all_recorded()) {
    CAPTURE(log.name);
    std::set<std::string> claimed;
    for (const kernel::Claim& claim : log.study().claims)
      for (const kernel::Experiment& experiment : log.study().experiments)
        for (const kernel::Hypothesis& hypothesis : experiment.registration.hypotheses)
          if (hypothesis.id == claim.hypothesis) claimed.insert(claim.hypothesis.text());
    const json events = traced(log.events);
    const auto lanes = slices_by_lane(events);
    std::map<int, std::vector<json>> points;
    for (const json& event : events)
      if (event.at("ph") == "s" || event.at("ph") == "t" || event.at("ph") == "f")
        points[event.at("id").get<int>()].push_back(event);
    std::set<std::string> ended;
    for (const auto& [id, flow] : points) {
      CHECK(flow.front().at("ph") == "s");
      CHECK(flow.front().at("pid") == process(kernel::LaneGroup::hypotheses));
      std::int64_t last = 0;
      for (const json& point : flow) {
        const std::int64_t at = point.at("ts");
        CHECK(at >= last);
        last = at;
        CHECK(std::ranges::any_of(lanes.at(lane_of(point)), [&](const json& slice) {
          const std::int64_t begin = slice.at("ts");
          return begin <= at && at < begin + slice.at("dur").get<std::int64_t>();
        }));
      }
      if (flow.back().at("ph") == "f") {
        CHECK(flow.back().at("pid") == process(kernel::LaneGroup::claims));
        ended.insert(flow.back().at("name"));
      }
    }
    CHECK(ended == claimed);
    flows += ended.size();
  }
  CHECK(flows > 10);
}

TEST_CASE("counters end where the ledger ends, and no time lies before the one before it") {
  for (const Recorded& log : all_recorded()) {
    CAPTURE(log.name);
    std::map<std::string, json> last;
    std::map<std::string, std::int64_t> at;
    for (const json& event : traced(log.events)) {
      if (event.at("ph") != "C") continue;
      const std::string name = event.at("name");
      last[name] = event.at("args");
      CHECK(event.at("ts").get<std::int64_t>() >= at[name]);
      at[name] = event.at("ts");
    }
    const kernel::Account sum = kernel::spent(log.study());
    CHECK(last.at("tokens").at("spent") == static_cast<double>(sum.tokens));
    CHECK(last.at("dollars").at("spent") == sum.usd);
    CHECK(last.at("runs").at("going") == static_cast<double>(log.study().live.size()));
  }
}

TEST_CASE("no metric's value is in a timeline") {
  const Recorded log = recorded(tests::source_dir() + "/tests/kernel/golden/logs/sized.jsonl");
  const std::string text = traced(log.events).dump();
  std::size_t values = 0;
  for (const kernel::Run& run : log.study().runs)
    for (const auto& [metric, value] : run.measurement.values) {
      const std::string shown = json(value.value).dump();
      if (shown.size() < 8) continue;  // Short numbers are in many facts.
      ++values;
      CHECK(text.find(shown) == std::string::npos);
    }
  CHECK(values > 0);
}

TEST_CASE("a wall clock that is set does not move the timeline within a boot") {
  TimelineClock clock;
  CHECK(clock.at(Time{1'000'000, 500}, false) == 0);
  CHECK(clock.at(Time{9'000'000, 700}, false) == 200'000);
  CHECK(clock.at(Time{1'000, 900}, false) == 400'000);
  CHECK(clock.at_wall(1'050) == 450'000);
}

TEST_CASE("after another boot the wall clock says how much time passed, never less than none") {
  TimelineClock clock;
  clock.at(Time{1'000'000, 500'000}, false);
  CHECK(clock.at(Time{1'060'000, 20}, false) == 60'000'000);
  CHECK(clock.at(Time{1'060'500, 520}, false) == 60'500'000);
  CHECK(clock.at(Time{1'090'500, 900'000}, true) == 90'500'000);
  CHECK(clock.at(Time{500, 10}, true) == 90'500'000);
}

TEST_CASE("in a study that has ended nothing is unfinished, with or without a verdict") {
  int ended = 0, open = 0;
  for (Recorded& log : all_recorded()) {
    CAPTURE(log.name);
    if (!log.study().outcome) continue;
    const auto unfinished = [&] {
      return std::ranges::count_if(traced(log.events), [](const json& event) {
        return event.at("ph") == "X" && event.at("args").contains("unfinished");
      });
    };
    // A recorded log is an artifact's, which ends before its study does.
    open += unfinished() > 0;
    Event end = log.events.back();
    end.body = kernel::StudyEnded{*log.study().outcome, {}};
    log.events.push_back(end);
    CHECK(unfinished() == 0);
    ++ended;
  }
  CHECK(ended > 10);
  CHECK(open == ended);
}
