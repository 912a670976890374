// Factorial designs, their fractions, Latin hypercubes and linear models: published designs, and what the definitions
// promise.

#include <bit>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "stats/basics/random.h"
#include "stats/designs/fractional_factorial.h"
#include "stats/designs/latin_hypercube.h"
#include "stats/designs/least_squares.h"

using stats::FactorSet;

namespace {

/// Words per length, from length 3.
std::vector<int> pattern(const stats::RegularFraction& fraction) {
  std::vector<int> counts;
  for (const FactorSet word : stats::defining_words(fraction)) {
    const auto length = static_cast<std::size_t>(std::popcount(word)) - 3;
    if (counts.size() <= length) counts.resize(length + 1);
    ++counts[length];
  }
  return counts;
}

/// "AB" for the first two factors.
FactorSet effect(const std::string& letters) {
  FactorSet set = 0;
  for (const char c : letters) set |= FactorSet{1} << (c - 'A');
  return set;
}

}  // namespace

TEST_CASE("the best fractions are those of the catalogues") {
  struct Known {
    int factors, base, resolution;
    std::vector<int> words;  ///< Of length 3, 4, … as far as published.
  };
  // Box, Hunter & Hunter, "Statistics for experimenters" (1978), table 12.15; Chen, Sun & Wu (1993), tables 1 to 4.
  for (const Known& known : {Known{3, 2, 3, {1}},
                             Known{4, 3, 4, {0, 1}},
                             Known{5, 3, 3, {2, 1}},
                             Known{6, 3, 3, {4, 3}},
                             Known{7, 3, 3, {7, 7, 0, 0, 1}},
                             Known{5, 4, 5, {0, 0, 1}},
                             Known{6, 4, 4, {0, 3}},
                             Known{7, 4, 4, {0, 7}},
                             Known{8, 4, 4, {0, 14}},
                             Known{9, 4, 3, {4, 14}},
                             Known{10, 4, 3, {8, 18}},
                             Known{11, 4, 3, {12, 26}},
                             Known{12, 4, 3, {16, 39}},
                             Known{13, 4, 3, {22, 55}},
                             Known{14, 4, 3, {28, 77}},
                             Known{15, 4, 3, {35, 105}},
                             Known{6, 5, 6, {0, 0, 0, 1}},
                             Known{7, 5, 4, {0, 1, 2}},
                             Known{8, 5, 4, {0, 3, 4}},
                             Known{9, 5, 4, {0, 6, 8}},
                             Known{10, 5, 4, {0, 10, 16}},
                             Known{11, 5, 4, {0, 25}},
                             Known{12, 5, 4, {0, 38}},
                             Known{15, 5, 4, {0, 105}},
                             Known{7, 6, 7, {0, 0, 0, 0, 1}},
                             Known{8, 6, 5, {0, 0, 2, 1}},
                             Known{9, 6, 4, {0, 1, 4}},
                             Known{10, 6, 4, {0, 2, 8}},
                             Known{11, 6, 4, {0, 4, 14}},
                             Known{9, 7, 6, {0, 0, 0, 3}},
                             Known{10, 7, 5, {0, 0, 3}},
                             Known{11, 7, 5, {0, 0, 6}}}) {
    INFO("2^(" << known.factors << "-" << known.factors - known.base << ")");
    const stats::RegularFraction fraction = stats::best_fraction(known.factors, known.base);
    CHECK(fraction.runs() == 1 << known.base);
    CHECK(stats::resolution(fraction) == known.resolution);
    std::vector<int> words = pattern(fraction);
    CHECK(static_cast<int>(stats::defining_words(fraction).size()) == (1 << (known.factors - known.base)) - 1);
    words.resize(known.words.size());
    CHECK(words == known.words);
  }
}

TEST_CASE("every fraction's columns are balanced and orthogonal") {
  for (int factors = 2; factors <= 31; ++factors)
    for (int base = 2; base <= 5; ++base) {
      if (factors > base && factors >= 1 << base) continue;
      INFO(factors << " factors in 2^" << base);
      const stats::RegularFraction fraction = stats::best_fraction(factors, base);
      REQUIRE(fraction.factors() == factors);
      const auto matrix = stats::design_matrix(fraction);
      REQUIRE(matrix.size() == static_cast<std::size_t>(fraction.runs()));
      for (std::size_t i = 0; i < fraction.columns.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          int sum = 0, product = 0;
          for (const auto& row : matrix) {
            sum += row[i];
            product += row[i] * row[j];
          }
          CHECK(sum == 0);
          CHECK(product == (i == j ? fraction.runs() : 0));
        }
      const int resolution = stats::resolution(fraction);
      if (factors > base) CHECK(resolution >= (factors <= 1 << (base - 1) ? 4 : 3));
    }
}

TEST_CASE("the alias sets of 2^(6-2) with E = ABC and F = BCD are those of the textbook") {
  // Montgomery, "Design and analysis of experiments", 5th ed. (2001), table 8-11.
  stats::RegularFraction fraction{4, {1, 2, 4, 8, effect("ABC"), effect("BCD")}};
  CHECK(stats::resolution(fraction) == 4);
  const std::set<std::set<FactorSet>> published = {
      {effect("AB"), effect("CE")}, {effect("AC"), effect("BE")},
      {effect("AD"), effect("EF")}, {effect("AE"), effect("BC"), effect("DF")},
      {effect("AF"), effect("DE")}, {effect("BD"), effect("CF")},
      {effect("BF"), effect("CD")}};
  std::set<std::set<FactorSet>> found;
  for (const auto& set : stats::alias_sets(fraction)) found.insert({set.begin(), set.end()});
  CHECK(found == published);
}

TEST_CASE("resolution III mixes main effects with two-factor interactions, resolution V mixes up neither") {
  const auto seven = stats::alias_sets(stats::best_fraction(7, 3));
  CHECK(seven.size() == 7);
  for (const auto& set : seven) {
    CHECK(set.size() == 4);
    CHECK(std::popcount(set.front()) == 1);
    for (std::size_t i = 1; i < set.size(); ++i) CHECK(std::popcount(set[i]) == 2);
  }
  CHECK(stats::alias_sets(stats::best_fraction(5, 4)).empty());
  CHECK(stats::alias_sets(stats::best_fraction(4, 4)).empty());
  CHECK(stats::resolution(stats::best_fraction(4, 4)) == 0);
}

TEST_CASE("a Latin hypercube has one point in every stratum of every axis, and keeps its points apart") {
  for (const auto& [points, axes] : {std::pair{1, 1}, {7, 3}, {16, 2}, {50, 6}}) {
    const auto sample = stats::latin_hypercube(points, axes, 7, 20);
    REQUIRE(sample.size() == static_cast<std::size_t>(points));
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
      std::set<int> strata;
      for (const auto& point : sample) strata.insert(static_cast<int>(std::floor(point[axis] * points)));
      CHECK(static_cast<int>(strata.size()) == points);
      CHECK((*strata.begin() == 0 && *strata.rbegin() == points - 1));
    }
    CHECK(sample == stats::latin_hypercube(points, axes, 7, 20));
    if (points > 1) CHECK(sample != stats::latin_hypercube(points, axes, 8, 20));
  }
  const auto closest = [](const std::vector<std::vector<double>>& points) {
    double least = 10;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        least = std::min(least, std::hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]));
    return least;
  };
  CHECK(closest(stats::latin_hypercube(12, 2, 3, 200)) > closest(stats::latin_hypercube(12, 2, 3, 1)));
}

TEST_CASE("least squares gives NumPy's coefficients and their standard errors") {
  // numpy.linalg.lstsq and inv(X'X) of these rows.
  const std::vector<std::vector<double>> rows = {{1, -1, 0.2}, {1, 1, -0.7}, {1, -1, 1.1}, {1, 1, 0.4}, {1, 1, 2.5}};
  const std::vector<double> y = {1.5, 4.25, 0.5, 3.0, -1.0};
  const auto fit = stats::least_squares(rows, y);
  REQUIRE(fit);
  CHECK(fit->df == 2);
  CHECK(fit->coefficients[0] == Approx(2.6728404099560743).epsilon(1e-12));
  CHECK(fit->coefficients[1] == Approx(0.6098096632503672).epsilon(1e-12));
  CHECK(fit->coefficients[2] == Approx(-1.6354319180087844).epsilon(1e-12));
  CHECK(fit->residual_squares == Approx(0.3185212298682297).epsilon(1e-12));
  CHECK(fit->variance_factor({0, 2, 1}) == Approx(0.9809663250366032).epsilon(1e-12));
  CHECK(fit->combined({0, 2, 1}) == Approx(2 * fit->coefficients[1] + fit->coefficients[2]));
}

TEST_CASE("columns that depend on one another have no least squares, and neither have too few rows") {
  CHECK_FALSE(stats::least_squares({{1, 1, 2}, {1, 2, 3}, {1, 3, 4}, {1, 5, 6}}, {1, 2, 3, 4}));
  CHECK_FALSE(stats::least_squares({{1, 1}}, {1}));
  CHECK_FALSE(stats::least_squares({}, {}));
}
