// The chance of equal values against SciPy, and the step of reported values.

#include "stats/diagnostics/equal_values.h"

#include "tests/stats/oracle.h"

using nlohmann::json;
using oracle::agree;
using Values = std::vector<double>;

TEST_CASE("the chance of equal values agrees with Poisson, and their step is found through decimals and shares") {
  for (const json& k : oracle::cases("equal_pairs"))
    CHECK(agree(stats::equal_pairs_p(k["pairs"], k["n"], k["sd"], k["step"]), k["p"], 1e-9, 1e-12));
  const auto shares = [](double of, double decimals) {
    Values values;
    for (const double count : {2711, 2698, 2725, 2704, 2690, 2713}) {
      const double share = count / of;
      values.push_back(decimals > 0 ? std::round(share * decimals) / decimals : share);
    }
    return values;
  };
  CHECK(stats::resolution(shares(3000, 0)) == Approx(1.0 / 3000));
  CHECK(stats::resolution(shares(3000, 1e6)) == Approx(1.0 / 3000));
  CHECK(stats::resolution(shares(30, 1e4)) == Approx(1.0 / 30));
  CHECK(stats::resolution(shares(1, 0)) == 1);
  CHECK(stats::resolution(Values{300, 500, 1200, 700}) == 100);
  CHECK(stats::resolution(Values{1.25, 1.5, 3.75}) == 0.25);
  CHECK(stats::resolution(Values{0.12, 0.17, 0.31}) == Approx(0.01));
  CHECK(stats::resolution(Values{40.123456789, 39.555555123, 41.987654321, 40.5}) < 2e-9);
  CHECK(stats::resolution(Values{3.141592653589793, 2.718281828459045, 1.4142135623730951}) < 1e-14);
  CHECK(stats::resolution(Values{5, 5}) == 0);
}

TEST_CASE("the step of a metric is found from its values") {
  CHECK(stats::value_step(std::vector<double>{3, 17, 250}) == 1);
  CHECK(stats::value_step(std::vector<double>{0.25, 0.125}) == 0.001);
  CHECK(stats::value_step(std::vector<double>{1.0 / 3, 2.0 / 3}) == Approx(1.0 / 3));
  CHECK(stats::value_step(std::vector<double>{std::sqrt(2.0), M_PI}) == 0);
  CHECK(stats::value_step(std::vector<double>{static_cast<double>(0.12345678F), static_cast<double>(0.23456789F)}) ==
        Approx(0.179 * 1.19e-7).epsilon(0.01));
  CHECK(stats::common_denominator(std::vector<double>{0.25, 1.0 / 3}) == 12);
  CHECK_FALSE(stats::common_denominator(std::vector<double>{std::sqrt(2.0)}));
}
