#include "stats/error_rates/anytime.h"

#include <cmath>

#include "stats/basics/random.h"
#include "stats/effects/heterogeneity.h"
#include "tests/stats/oracle.h"

using nlohmann::json;
using oracle::agree;
using stats::Contrast;

TEST_CASE("a t test valid at every sample size agrees with quadrature over SciPy's noncentral t") {
  for (const json& k : oracle::cases("anytime")) {
    const double df = k["df"], t = k["t"], level = k["level"];
    const Contrast c{3 + t * 0.5 - 3, 0.5, df};
    const stats::OneSided p = stats::anytime_p(c);
    CHECK(agree(p.less, k["less"], 1e-6));
    CHECK(agree(p.greater, k["greater"], 1e-6));
    const stats::Interval i = stats::anytime_interval(c, level);
    CHECK(i.high.has_value() == !k["reach"].is_null());
    if (i.high) CHECK(agree((*i.high - c.estimate) / 0.5, k["reach"], 1e-6));
    CHECK(agree(stats::nominal_anytime_level((1 - level) / 2, df), k["nominal"], 1e-6));
  }
}

TEST_CASE("the interval of a confidence sequence ends where its p is at the level") {
  const Contrast c{2, 1, 11};
  const stats::Interval i = stats::anytime_interval(c, 0.9);
  REQUIRE((i.low && i.high));
  CHECK(stats::anytime_p({c.estimate - *i.high, 1, 11}).less == Approx(0.05));
  CHECK(stats::anytime_p({c.estimate - *i.low, 1, 11}).greater == Approx(0.05));
  // It is wider than Student's, which holds at one sample size.
  CHECK(*i.high - *i.low > *stats::interval(c, 0.9).high - *stats::interval(c, 0.9).low);
  CHECK_FALSE(stats::anytime_interval({2, 1, 2}, 0.999).low.has_value());
  CHECK(stats::anytime_p({-1, 0, 4}).less == 0);
}

TEST_CASE("who looks after every pair errs at most at the level") {
  stats::Xoshiro random(20);
  int below = 0, above = 0;
  constexpr int studies = 4000, most = 60;
  for (int study = 0; study < studies; ++study) {
    double sum = 0, squares = 0;
    bool low = false, high = false;
    for (int n = 1; n <= most; ++n) {
      const double x = random.normal();
      sum += x, squares += x * x;
      if (n < 4) continue;
      const double mean = sum / n, variance = (squares - n * mean * mean) / (n - 1);
      const stats::OneSided p = stats::anytime_p({mean, std::sqrt(variance / n), n - 1.0});
      low = low || p.less <= 0.05;
      high = high || p.greater <= 0.05;
    }
    below += low, above += high;
  }
  const double bound = 0.05 + 3 * std::sqrt(0.05 * 0.95 / studies);
  CHECK(below <= bound * studies);
  CHECK(above <= bound * studies);
  CHECK(below + above > 0.02 * studies);
}

TEST_CASE("heterogeneity between settings agrees with statsmodels") {
  for (const json& k : oracle::cases("heterogeneity")) {
    std::vector<stats::EffectAt> settings;
    for (std::size_t i = 0; i < k["effects"].size(); ++i) settings.push_back({k["effects"][i], k["errors"][i]});
    const auto r = stats::random_effects(settings, k["level"]);
    REQUIRE(r);
    CHECK(agree(r->q, k["q"]));
    CHECK(agree(r->i2, k["i2"], 1e-9, 1));
    CHECK(agree(r->tau2, k["tau2"], 1e-9, 1e-3));
    CHECK(agree(r->mean, k["mean"]));
    CHECK(agree(r->error, k["error"]));
    CHECK(agree(r->predicted.low, k["low"], 1e-9, r->error));
    CHECK(agree(r->predicted.high, k["high"], 1e-9, r->error));
  }
  CHECK_FALSE(stats::random_effects(std::vector<stats::EffectAt>{{1, 1}}, 0.95));
  CHECK_FALSE(stats::random_effects(std::vector<stats::EffectAt>{{1, 1}, {1, 0}}, 0.95));
  CHECK_FALSE(stats::random_effects(std::vector<stats::EffectAt>{{1, 1}, {HUGE_VAL, 1}}, 0.95));
}

TEST_CASE("Hedges' factor agrees with the expectation of 1/chi") {
  for (const json& k : oracle::cases("hedges")) CHECK(agree(stats::hedges_factor(k["df"]), k["factor"], 1e-9));
  CHECK(stats::hedges_factor(1) == 0);
}
