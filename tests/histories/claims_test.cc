// What a history accepted, and with which recorded gains.

#include "histories/confirm/claims.h"

#include <catch2/catch.hpp>

using namespace histories;
using kernel::Goal;

namespace {

HistoryEntry entry(const std::string& id, std::optional<double> value, Status status = Status::discarded) {
  HistoryEntry one;
  one.id = id;
  one.value = value;
  one.status = status;
  return one;
}

History decided(std::vector<HistoryEntry> entries) {
  History history;
  history.decided = true;
  history.goal = Goal::minimize;
  history.metric = "loss";
  history.entries = std::move(entries);
  return history;
}

History undecided(std::vector<HistoryEntry> entries, Goal goal) {
  History history = decided(std::move(entries));
  history.decided = false;
  history.goal = goal;
  return history;
}

std::vector<std::string> ids(const RecordedClaims& claims) {
  std::vector<std::string> list;
  for (const Improvement& improvement : claims.improvements) list.push_back(improvement.version.entry.id);
  return list;
}

}  // namespace

TEST_CASE("a decided history's improvements are what it kept with a better value than the baseline") {
  const auto claims = claims_of(decided({entry("a", 1.0, Status::kept), entry("b", 0.9, Status::kept), entry("c", 0.5),
                                         entry("d", std::nullopt, Status::crashed), entry("e", 0.9, Status::kept),
                                         entry("f", 1.2, Status::kept), entry("g", 0.7, Status::kept)}),
                                {});
  REQUIRE(claims);
  CHECK(claims->baseline.entry.id == "a");
  CHECK(claims->accepted == 4);
  REQUIRE(ids(*claims) == std::vector<std::string>{"b", "e", "g"});
  const Improvement& b = claims->improvements[0];
  const Improvement& e = claims->improvements[1];
  const Improvement& g = claims->improvements[2];
  CHECK(b.gain == Approx(0.1));
  CHECK(b.before == "v0");
  CHECK_FALSE(b.step);  // Its step is its gain.
  CHECK(e.before == "v1");
  CHECK_FALSE(e.step);  // Kept without a gain over the one before.
  CHECK(g.gain == Approx(0.3));
  CHECK(g.before == "v2");
  CHECK(g.step == Approx(0.2));
}

TEST_CASE("what decided nothing itself accepted what was better than everything before") {
  const auto claims = claims_of(undecided({entry("0", std::nullopt), entry("1", 5.0), entry("2", 4.0), entry("3", 7.0),
                                           entry("4", 6.0), entry("5", 8.0)},
                                          Goal::maximize),
                                {});
  REQUIRE(claims);
  CHECK(claims->baseline.entry.id == "1");
  CHECK(ids(*claims) == std::vector<std::string>{"3", "5"});
  CHECK(claims->improvements[1].step == Approx(1.0));

  const auto other =
      claims_of(undecided({entry("1", 5.0), entry("2", 4.0), entry("3", 7.0)}, Goal::maximize), {"2", {}, {}});
  REQUIRE(other);
  CHECK(ids(*other) == std::vector<std::string>{"1", "3"});
}

TEST_CASE("the improvements with the greatest recorded steps are kept, in the history's order") {
  const auto claims =
      claims_of(decided({entry("a", 1.0, Status::kept), entry("b", 0.99, Status::kept), entry("c", 0.8, Status::kept),
                         entry("d", 0.79, Status::kept), entry("e", 0.5, Status::kept)}),
                {"", 2, {}});
  REQUIRE(claims);
  CHECK(ids(*claims) == std::vector<std::string>{"c", "e"});
  CHECK(claims->cut == 2);
  CHECK(claims->improvements[1].before == "v1");
  CHECK(claims->improvements[1].step == Approx(0.3));
}

TEST_CASE("a version that cannot be run is nobody's predecessor") {
  auto claims = claims_of(decided({entry("a", 1.0, Status::kept), entry("b", 0.9, Status::kept),
                                   entry("c", 0.8, Status::kept), entry("d", 0.6, Status::kept)}),
                          {"", {}, {"c"}});
  REQUIRE(claims);
  CHECK(claims->improvements[1].cannot == "left out by --skip");
  CHECK(claims->improvements[2].before == "v1");
  CHECK(claims->improvements[2].step == Approx(0.3));
  claims->improvements[0].cannot = "its files are gone";
  settle_steps(*claims, Goal::minimize);
  CHECK(claims->improvements[2].before == "v0");
  CHECK_FALSE(claims->improvements[2].step);
}

TEST_CASE("nothing is claimed where nothing was accepted, kept or measured") {
  CHECK_FALSE(claims_of(decided({entry("a", 1.0, Status::kept), entry("b", 0.5)}), {}));
  CHECK_FALSE(claims_of(decided({entry("a", 1.0, Status::kept), entry("b", 1.5, Status::kept)}), {}));
  CHECK_FALSE(claims_of(decided({entry("a", 1.0)}), {}));
  CHECK_FALSE(claims_of(undecided({entry("a", std::nullopt)}, Goal::minimize), {}));
  const History history = decided({entry("a", 1.0, Status::kept), entry("b", 0.5, Status::kept)});
  CHECK_FALSE(claims_of(history, {"nobody", {}, {}}));
  CHECK_FALSE(claims_of(history, {"", {}, {"nobody"}}));
}
