// Rank tests and drift against SciPy, and against all flips and exchanges listed.

#include "stats/diagnostics/sample_checks.h"
#include "stats/ranks/censored.h"
#include "stats/ranks/wilcoxon.h"
#include "tests/stats/oracle.h"

using nlohmann::json;
using oracle::agree;
using Values = std::vector<double>;

namespace {

template <typename Test>
void check_rank_test(const Test& test, const json& k) {
  CAPTURE(k.dump());
  CHECK(agree(stats::p_at(test).less, k["less"]));
  CHECK(agree(stats::p_at(test).greater, k["greater"]));
  CHECK(agree(stats::two_sided(stats::p_at(test)), k["two"]));
  CHECK(agree(test.estimate, k["estimate"]));
  const stats::Interval i = stats::interval(test, k["level"]);
  CHECK(agree(i.low, k["low"]));
  CHECK(agree(i.high, k["high"]));
}

std::optional<stats::RankRatio> ratio_of(const json& k, const Values& t, const Values& c) {
  return k["paired"].get<bool>() ? stats::signed_rank_ratio(t, c, k["level"])
                                 : stats::mann_whitney_ratio(t, c, k["level"]);
}

std::vector<std::optional<double>> with_failures(const json& list) {
  std::vector<std::optional<double>> out;
  for (const json& v : list) out.push_back(v.is_null() ? std::nullopt : std::optional(v.get<double>()));
  return out;
}

std::vector<stats::Duration> durations(const json& times, const json& censored) {
  std::vector<stats::Duration> out;
  for (std::size_t i = 0; i < times.size(); ++i) out.push_back({times[i], censored[i] == 1});
  return out;
}

stats::FailedRank end_of(const json& sign) {
  return sign < 0 ? stats::FailedRank::lowest : stats::FailedRank::highest;
}

}  // namespace

TEST_CASE("signed ranks agree with SciPy, with all flips of signs, and with a scan of every shift") {
  int unbounded = 0;
  for (const json& k : oracle::cases("signed_rank")) {
    check_rank_test(stats::signed_rank(k["t"].get<Values>(), k["c"].get<Values>(), k["ratio"], k["shift"]).value(), k);
    unbounded += k["low"].is_null() ? 1 : 0;
  }
  CHECK(unbounded > 10);
}

TEST_CASE("ratios by ranks agree with SciPy's tests at every ratio between the places where ranks change") {
  int bounded = 0;
  for (const json& k : oracle::cases("rank_ratio")) {
    CAPTURE(k.dump());
    const stats::RankRatio found = ratio_of(k, k["t"].get<Values>(), k["c"].get<Values>()).value();
    CHECK(agree(found.estimate, k["estimate"]));
    CHECK(agree(found.interval.low, k["low"]));
    CHECK(agree(found.interval.high, k["high"]));
    bounded += found.interval.low && found.interval.high ? 1 : 0;
  }
  CHECK(bounded > 100);
}

TEST_CASE("Mann and Whitney's test agrees with SciPy, with all exchanges of labels, and with a scan of every shift") {
  int unbounded = 0;
  for (const json& k : oracle::cases("mann_whitney")) {
    check_rank_test(stats::mann_whitney(k["t"].get<Values>(), k["c"].get<Values>(), k["ratio"], k["shift"]).value(), k);
    unbounded += k["low"].is_null() ? 1 : 0;
  }
  CHECK(unbounded > 10);
}

TEST_CASE("failed runs rank as values beyond all others do") {
  for (const json& k : oracle::cases("worst_rank")) {
    const auto t = with_failures(k["t"]), c = with_failures(k["c"]);
    const stats::FailedRanks failed{end_of(k["t_end"]), end_of(k["c_end"])};
    const auto p = k["paired"] ? stats::worst_rank_paired(t, c, failed) : stats::worst_rank_independent(t, c, failed);
    REQUIRE(p);
    CAPTURE(k.dump());
    CHECK(agree(p->less, k["less"]));
    CHECK(agree(p->greater, k["greater"]));
  }
}

TEST_CASE("censored ranks agree with all exchanges listed") {
  for (const json& k : oracle::cases("censored")) {
    const auto t = durations(k["t"], k["t_censored"]), c = durations(k["c"], k["c_censored"]);
    const auto p = k["paired"] ? stats::paired_gehan(t, c) : stats::gehan(t, c);
    REQUIRE(p);
    CAPTURE(k.dump());
    CHECK(agree(p->less, k["less"]));
    CHECK(agree(p->greater, k["greater"]));
  }
}

TEST_CASE("shifts and ratios of censored times agree with a scan of every place by exchanges listed") {
  int open = 0;
  const auto check = [&](const std::optional<stats::CensoredEffect>& e, const json& k) {
    REQUIRE(e);
    CHECK(agree(e->estimate, k["estimate"], 1e-9, 1e-6));
    CHECK(e->open == k["open"]);
    CHECK(agree(e->interval.low, k["low"], 1e-9, 1e-6));
    CHECK(agree(e->interval.high, k["high"], 1e-9, 1e-6));
    open += e->open ? 1 : 0;
  };
  for (const json& k : oracle::cases("censored_shift")) {
    CAPTURE(k.dump());
    const auto t = durations(k["t"], k["t_censored"]), c = durations(k["c"], k["c_censored"]);
    const stats::TimedArms arms{t, c, k["paired"]};
    check(stats::censored_shift(arms, k["level"]), k["shift"]);
    check(stats::censored_ratio(arms, k["level"]), k["ratio"]);
    const auto p = stats::censored_p(arms, k["at"], 0);
    CHECK(agree(p->less, k["p"]["less"]));
    CHECK(agree(p->greater, k["p"]["greater"]));
  }
  CHECK(open > 5);
}

TEST_CASE("runs agree with all arrangements counted, and the correlation with order with SciPy's Kendall") {
  for (const json& k : oracle::cases("drift")) {
    const Values x = k["x"];
    CAPTURE(k.dump());
    const auto runs = stats::runs_test(x);
    CHECK(runs.has_value() == !k["runs"].is_null());
    if (runs) {
      CHECK(runs->runs == k["runs"].get<std::size_t>());
      CHECK(agree(runs->p.less, k["less"]));
      CHECK(agree(runs->p.greater, k["greater"]));
    }
    const auto order = stats::order_correlation(x);
    CHECK(order.has_value() == !k["tau"].is_null());
    if (order) {
      CHECK(agree(order->tau, k["tau"], 1e-9, 1e-3));
      CHECK(agree(order->p.less, k["falls"]));
      CHECK(agree(order->p.greater, k["rises"]));
    }
  }
}
