// Means over incomplete blocks: against least squares with a column for every treatment and block.

#include "stats/designs/block_means.h"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "stats/basics/random.h"
#include "stats/designs/least_squares.h"

namespace {

/// The last treatment and the last block are −1 times the sum of the others' columns; the intercept stays out of the
/// differences.
std::vector<double> by_columns(const std::vector<stats::BlockedValue>& values, std::size_t treatments,
                               std::size_t blocks) {
  std::vector<std::vector<double>> rows;
  std::vector<double> y;
  for (const stats::BlockedValue& v : values) {
    std::vector<double> row{1};
    for (std::size_t t = 0; t + 1 < treatments; ++t)
      row.push_back(v.treatment == t ? 1 : v.treatment + 1 == treatments ? -1 : 0);
    for (std::size_t b = 0; b + 1 < blocks; ++b) row.push_back(v.block == b ? 1 : v.block + 1 == blocks ? -1 : 0);
    rows.push_back(std::move(row));
    y.push_back(v.value);
  }
  const auto fit = stats::least_squares(rows, y);
  REQUIRE(fit);
  std::vector<double> effects(fit->coefficients.begin() + 1,
                              fit->coefficients.begin() + static_cast<std::ptrdiff_t>(treatments));
  double sum = 0;
  for (const double effect : effects) sum += effect;
  effects.push_back(-sum);
  return effects;
}

}  // namespace

TEST_CASE("differences of means over incomplete blocks are those of least squares") {
  stats::Xoshiro random(7);
  for (int round = 0; round < 30; ++round) {
    const auto treatments = static_cast<std::size_t>(2 + 9 * random.uniform());
    const auto blocks = static_cast<std::size_t>(2 + 12 * random.uniform());
    std::vector<double> treatment, block;
    for (std::size_t i = 0; i < treatments; ++i) treatment.push_back(3 * random.normal());
    for (std::size_t i = 0; i < blocks; ++i) block.push_back(5 * random.normal());
    std::vector<stats::BlockedValue> values;
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t t = 0; t < treatments; ++t)
        // The first treatment is in every block, and so joins them; the first block has all treatments.
        if (t == 0 || b == 0 || random.uniform() < 0.4)
          values.push_back({t, b, treatment[t] + block[b] + random.normal()});
    const std::vector<double> means = stats::block_means(values), expected = by_columns(values, treatments, blocks);
    REQUIRE(means.size() == treatments);
    for (std::size_t t = 1; t < treatments; ++t)
      CHECK(std::abs((means[t] - means[0]) - (expected[t] - expected[0])) < 1e-7);
  }
}

TEST_CASE("blocks with every treatment leave the differences of plain means, and blocks of one leave the values") {
  const std::vector<double> whole = stats::block_means({{0, 0, 1}, {1, 0, 4}, {0, 1, 11}, {1, 1, 16}});
  CHECK(std::abs(whole[1] - whole[0] - 4) < 1e-9);
  const std::vector<double> apart = stats::block_means({{0, 0, 1}, {1, 1, 4}});
  CHECK(std::abs(apart[1] - apart[0] - 3) < 1e-9);
  CHECK(stats::block_means({}).empty());
}
