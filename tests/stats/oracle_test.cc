// Agreement with SciPy, or with the independent route that make_oracle.py names.

#include "tests/stats/oracle.h"

#include "stats/basics/contrast.h"
#include "stats/basics/descriptive.h"
#include "stats/basics/distributions.h"
#include "stats/basics/random.h"
#include "stats/effects/bootstrap.h"
#include "stats/effects/fieller.h"
#include "stats/effects/regression.h"
#include "stats/error_rates/corrections.h"
#include "stats/error_rates/t_test_power.h"

using nlohmann::json;
using oracle::agree;
using Values = std::vector<double>;

namespace {

std::vector<stats::Moments> cells(const json& list) {
  std::vector<stats::Moments> out;
  for (const json& cell : list) out.push_back(stats::moments(cell.get<Values>()).value());
  return out;
}

void check_contrast(const stats::Contrast& c, const json& k) {
  CHECK(agree(c.estimate, k["estimate"], 1e-9, c.standard_error));
  CHECK(agree(c.standard_error, k["se"]));
  CHECK(agree(c.df, k["df"]));
  CHECK(agree(stats::p_less(c), k["less"]));
  CHECK(agree(stats::p_greater(c), k["greater"]));
  CHECK(agree(stats::p_two_sided(c), k["two"]));
  const stats::Interval i = stats::interval(c, k["level"]);
  CHECK(agree(i.low, k["low"], 1e-9, c.standard_error));
  CHECK(agree(i.high, k["high"], 1e-9, c.standard_error));
}

}  // namespace

TEST_CASE("summaries of a sample agree with NumPy and SciPy") {
  for (const json& k : oracle::cases("descriptive")) {
    const Values x = k["x"];
    const double sd = k["sd"];
    CHECK(agree(stats::mean(x), k["mean"], 1e-9, sd));
    CHECK(agree(stats::moments(x)->variance, k["variance"]));
    CHECK(agree(stats::standard_deviation(x), k["sd"]));
    CHECK(agree(stats::median(x), k["median"]));
    CHECK(agree(stats::quantile(x, k["q"]), k["quantile"], 1e-9, sd));
    CHECK(agree(stats::skewness(x), k["skewness"], 1e-9, 1));
  }
}

TEST_CASE("distributions agree with SciPy, and the noncentral t with its defining integral") {
  for (const json& k : oracle::cases("distributions")) {
    const double x = k["x"], df = k["df"], p = k["p"], nc = k["nc"];
    CHECK(agree(stats::t_cdf(x, df), k["t_cdf"]));
    CHECK(agree(stats::t_upper(x, df), k["t_upper"]));
    CHECK(agree(stats::t_quantile(p, df), k["t_quantile"], 1e-9, 1e-3));
    CHECK(agree(stats::normal_cdf(x), k["normal_cdf"]));
    CHECK(agree(stats::normal_quantile(p), k["normal_quantile"], 1e-9, 1e-3));
    CHECK(agree(stats::chi_squared_quantile(p, df), k["chi2_quantile"]));
    CAPTURE(x, df, nc);
    CHECK(std::abs(stats::noncentral_t_upper(x, df, nc) - k["nct_upper"].get<double>()) <= 1e-9);
  }
}

TEST_CASE("the paired contrast agrees with SciPy's one-sample t of t - ratio c") {
  for (const json& k : oracle::cases("paired")) {
    const Values t = k["t"], c = k["c"];
    check_contrast(stats::paired_contrast(t, c, k["ratio"], k["shift"]).value(), k);
  }
}

TEST_CASE("the contrast of independent cells agrees with Welch's t and Satterthwaite's formula") {
  for (const json& k : oracle::cases("independent"))
    check_contrast(stats::independent_contrast(cells(k["t"]), cells(k["c"]), k["ratio"], k["shift"]).value(), k);
}

TEST_CASE("Fieller's ends are the roots of the contrast's t, and missing where there are none") {
  int unbounded = 0;
  for (const json& k : oracle::cases("fieller")) {
    const std::optional<stats::Interval> i =
        k["kind"] == "paired" ? stats::fieller_paired(k["t"].get<Values>(), k["c"].get<Values>(), k["level"])
                              : stats::fieller_independent(cells(k["t"]), cells(k["c"]), k["level"]);
    REQUIRE(i);
    CHECK(agree(i->low, k["low"]));
    CHECK(agree(i->high, k["high"]));
    if (k["low"].is_null()) ++unbounded;
  }
  CHECK(unbounded > 10);
}

TEST_CASE("slopes agree with linregress, and with one least-squares problem over strata") {
  for (const json& k : oracle::cases("regression")) {
    std::vector<std::vector<stats::Point>> strata;
    for (const json& s : k["strata"]) {
      strata.emplace_back();
      for (std::size_t i = 0; i < s["x"].size(); ++i) strata.back().push_back({s["x"][i], s["y"][i]});
    }
    const std::optional<stats::SlopeFit> fit = stats::mean_slope(strata);
    REQUIRE(fit);
    CHECK(agree(fit->slope.estimate, k["slope"], 1e-9, fit->slope.standard_error));
    CHECK(agree(fit->slope.standard_error, k["se"]));
    CHECK(agree(fit->residual_variance, k["residual_variance"]));
    CHECK(fit->slope.df == k["df"].get<double>());
  }
}

TEST_CASE("the BCa interval agrees with SciPy's on the same resampled indices") {
  for (const json& k : oracle::cases("bca")) {
    if (k["kind"] == "generator") {
      stats::Xoshiro random(k["seed"].get<std::uint64_t>());
      for (const json& word : k["words"]) CHECK(std::to_string(random.next()) == word.get<std::string>());
      continue;
    }
    std::vector<stats::WeightedSample> samples;
    for (std::size_t i = 0; i < k["samples"].size(); ++i) samples.push_back({k["samples"][i], k["weights"][i]});
    const auto b = stats::bootstrap(samples, k["resamples"], k["seed"].get<std::uint64_t>());
    REQUIRE(b);
    const double spread = b->replicates.back() - b->replicates.front();
    CHECK(agree(b->estimate, k["estimate"], 1e-9, spread));
    CHECK(agree(b->bias, k["bias"], 1e-9, 1e-3));
    CHECK(agree(b->acceleration, k["acceleration"], 1e-9, 1e-3));
    const stats::Interval i = stats::bca_interval(*b, k["level"]);
    CHECK(agree(i.low, k["low"], 1e-9, spread));
    CHECK(agree(i.high, k["high"], 1e-9, spread));
  }
}

TEST_CASE("Holm's adjusted p agrees with the closed test over all subsets, and rejects exactly at alpha") {
  for (const json& k : oracle::cases("holm")) {
    const Values p = k["p"];
    const double alpha = k["alpha"];
    const std::vector<stats::HolmStep> steps = stats::holm(p, alpha, k["family"]);
    for (std::size_t i = 0; i < p.size(); ++i) {
      CHECK(agree(steps[i].adjusted, k["adjusted"][i]));
      CHECK(steps[i].rejected == (steps[i].adjusted <= alpha * (1 + 1e-12)));
      CHECK(steps[i].level <= alpha * static_cast<double>(p.size()) / k["family"].get<double>() * (1 + 1e-12));
    }
  }
}

TEST_CASE("power agrees with the noncentral t, and of equivalence tests with an integral over the chi density") {
  for (const json& k : oracle::cases("power")) {
    const double d = k["d"], alpha = k["alpha"];
    const int n = k["n"];
    CAPTURE(d, n, alpha);
    const double one_sample = d * std::sqrt(n), two_samples = d * std::sqrt(n / 2.0);  // of n each
    CHECK(agree(stats::t_power(one_sample, n - 1, alpha, stats::Sides::one), k["one_sample_one"]));
    CHECK(agree(stats::t_power(one_sample, n - 1, alpha, stats::Sides::two), k["one_sample_two"]));
    CHECK(agree(stats::t_power(two_samples, 2 * n - 2, alpha, stats::Sides::one), k["two_sample_one"]));
    CHECK(agree(stats::t_power(two_samples, 2 * n - 2, alpha, stats::Sides::two), k["two_sample_two"]));
    CHECK(agree(stats::equivalence_power(k["above"], k["below"], n, alpha), k["equivalence"], 1e-9, 1e-3));
  }
}

TEST_CASE("the power that a size buys by Stein's inequality agrees with the formula in SciPy's distributions") {
  for (const json& k : oracle::cases("stein")) {
    stats::PilotDesign design{k["variance"], k["df"], k["distance"], k["alpha"]};
    CHECK(agree(stats::stein_power(design, k["n"]), k["power_one"]));
    CHECK(agree(stats::fresh_power(design, k["n"], k["final_df"]), k["fresh_one"], 1e-9, 1));
    design.equivalence = true;
    CHECK(agree(stats::stein_power(design, k["n"]), k["power_equivalence"], 1e-9, 1e-6));
    CHECK(agree(stats::fresh_power(design, k["n"], k["final_df"]), k["fresh_equivalence"], 1e-9, 1));
    design.equivalence = false;
    design.sides = stats::Sides::two;
    CHECK(agree(stats::stein_power(design, k["n"]), k["power_two"]));
    CHECK(agree(stats::fresh_power(design, k["n"], k["final_df"]), k["fresh_two"], 1e-9, 1));
  }
}
