// Lists of runs: found by conditions on metrics, and in the order of a state, factor or metric, without withheld
// values.
#include "memory/store/run_list.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"

namespace {

using Numbers = std::vector<int>;
using memory::RunOrder;
using memory::RunQuery;
using Sign = memory::MetricCondition::Sign;

/// Runs 1 to 3 are of a pilot, 4 to 7 registered, 8 has not ended. Run i took 1/i by its metric `time_ms`, and 0.1 i
/// seconds; `odd` is NaN in all. Run 6 failed. Odd runs have the level "bubble", even ones "quick".
struct MeasuredRuns {
  story::TempFolder folder;
  story::Teller teller;

  MeasuredRuns() {
    memory::Store store(folder);
    std::vector events = {teller.open("s1"), teller.queue("s1", 3, kernel::Purpose::pilot)};
    for (const int run : {1, 2, 3}) events.push_back(ended(run));
    kernel::Hypothesis h;
    h.id = "H1";
    h.metric = "time_ms";
    h.treatment = {{"algorithm", "quick"}};
    h.control = {{"algorithm", "bubble"}};
    events.push_back(teller.tell("s1", kernel::HypothesisProposed{h, 1, false}));
    kernel::Registration registration;
    registration.experiment = "E01";
    registration.hypotheses = {h};
    events.push_back(teller.tell("s1", kernel::ExperimentRegistered{registration, "hash"}));
    events.push_back(teller.queue("s1", 1));
    events.push_back(teller.queue("s1", 4));
    for (const int run : {4, 5, 6, 7})
      events.push_back(ended(run, run == 6 ? kernel::RunState::failed : kernel::RunState::succeeded));
    store.append(events, teller.state);
  }
  kernel::Event ended(int run, kernel::RunState how = kernel::RunState::succeeded) {
    kernel::Event event = teller.end("s1", run, how);
    double& wall_s = std::get<kernel::RunEnded>(event.body).outcome.usage.wall_s;
    wall_s = teller.state.studies.at("s1").runs.at(static_cast<std::size_t>(run) - 1).outcome.usage.wall_s = 0.1 * run;
    return event;
  }
  Numbers found(const RunQuery& query) const {
    Numbers numbers;
    memory::Reader(folder).runs("s1", query, [&](std::string_view document) {
      numbers.push_back(nlohmann::json::parse(document).at("number"));
    });
    return numbers;
  }
};

RunQuery by(RunOrder order, const std::string& name = "", bool descending = false) {
  RunQuery query;
  query.order = order;
  query.order_name = name;
  query.descending = descending;
  return query;
}

RunQuery where(const std::string& metric, Sign sign, double value) {
  RunQuery query;
  query.measured = {{metric, sign, value}};
  return query;
}

/// Registered runs of no experiment show their values.
RunQuery withheld(RunQuery query) {
  query.open.emplace();
  return query;
}

}  // namespace

TEST_CASE("runs are listed in the order of a metric, and those without a value come last") {
  const MeasuredRuns home;
  CHECK(home.found(by(RunOrder::metric, "time_ms")) == Numbers{7, 6, 5, 4, 3, 2, 1, 8});
  CHECK(home.found(by(RunOrder::metric, "time_ms", true)) == Numbers{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(home.found(by(RunOrder::metric, "odd", true)) == Numbers{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(home.found(by(RunOrder::metric, "unknown")) == Numbers{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("the order of withheld values is not shown") {
  const MeasuredRuns home;
  CHECK(home.found(withheld(by(RunOrder::metric, "time_ms"))) == Numbers{3, 2, 1, 4, 5, 6, 7, 8});
  CHECK(home.found(withheld(by(RunOrder::metric, "time_ms", true))) == Numbers{1, 2, 3, 4, 5, 6, 7, 8});
  RunQuery analysed = by(RunOrder::metric, "time_ms");
  analysed.open = {"E01"};
  CHECK(home.found(analysed) == Numbers{7, 6, 5, 4, 3, 2, 1, 8});
  analysed.open = {"E02"};
  CHECK(home.found(analysed) == Numbers{3, 2, 1, 4, 5, 6, 7, 8});
}

TEST_CASE("conditions on a metric find runs with such values, except withheld ones") {
  const MeasuredRuns home;
  CHECK(home.found(where("time_ms", Sign::less, 0.25)) == Numbers{5, 6, 7});
  CHECK(home.found(where("time_ms", Sign::at_most, 0.25)) == Numbers{4, 5, 6, 7});
  CHECK(home.found(where("time_ms", Sign::greater, 0.5)) == Numbers{1});
  CHECK(home.found(where("time_ms", Sign::at_least, 0.5)) == Numbers{1, 2});
  CHECK(home.found(where("time_ms", Sign::equal, 1)) == Numbers{1});
  CHECK(home.found(where("time_ms", Sign::unequal, 1)) == Numbers{2, 3, 4, 5, 6, 7});
  CHECK(home.found(where("odd", Sign::unequal, 1)).empty());
  CHECK(home.found(withheld(where("time_ms", Sign::less, 10))) == Numbers{1, 2, 3});
  CHECK(home.found(withheld(where("time_ms", Sign::unequal, 10))) == Numbers{1, 2, 3});

  RunQuery both = where("time_ms", Sign::less, 0.9);
  both.measured.push_back({"time_ms", Sign::greater, 0.2});
  both.descending = true;
  CHECK(home.found(both) == Numbers{4, 3, 2});
  both.most = 2;
  both.beyond = 4;
  CHECK(home.found(both) == Numbers{3, 2});
  both.beyond = 0;
  both.order = RunOrder::seed;
  both.before = 1;
  CHECK(home.found(both) == Numbers{3, 4});
}

TEST_CASE("runs are listed in the order of states, factors, seeds and times, among those found") {
  const MeasuredRuns home;
  CHECK(home.found(by(RunOrder::state)) == Numbers{6, 8, 1, 2, 3, 4, 5, 7});
  CHECK(home.found(by(RunOrder::factor, "algorithm", true)) == Numbers{2, 6, 8, 1, 3, 4, 5, 7});
  CHECK(home.found(by(RunOrder::wall, "", true)) == Numbers{7, 6, 5, 4, 3, 2, 1, 8});
  RunQuery some = by(RunOrder::metric, "time_ms");
  some.states = {"succeeded", "queued"};
  some.levels = {{"algorithm", "bubble"}};
  some.numbers = {1, 3, 4, 5, 6};
  CHECK(home.found(some) == Numbers{5, 4, 3, 1});
  some.most = 2;
  CHECK(home.found(some) == Numbers{5, 4});
  some.before = 2;
  CHECK(home.found(some) == Numbers{3, 1});
  some.experiment = "E01";
  some.before = 0;
  CHECK(home.found(some) == Numbers{5, 4});
}
