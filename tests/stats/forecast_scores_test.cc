// How good forecasts were: by hand, and the intervals against the bootstrap that they are made of.
#include "stats/diagnostics/forecast_scores.h"

#include <catch2/catch.hpp>

#include "stats/effects/bootstrap.h"

using stats::Forecast;

TEST_CASE("Brier's score and the calibration error in the large") {
  const std::vector<Forecast> forecasts = {{0.9, true}, {0.8, false}, {0.6, true}};
  const auto score = stats::score_forecasts(forecasts, 0.95, 1);
  REQUIRE(score);
  CHECK(score->n == 3);
  CHECK(score->brier == Approx((0.01 + 0.64 + 0.16) / 3).epsilon(1e-12));
  CHECK(score->gap == Approx((0.9 + 0.8 + 0.6) / 3 - 2.0 / 3).epsilon(1e-12));
  const std::vector<stats::WeightedSample> squares = {{{0.1 * 0.1, 0.8 * 0.8, 0.4 * 0.4}, 1}};
  const auto interval = stats::bca_interval(*stats::bootstrap(squares, 10000, 1), 0.95);
  CHECK(score->brier_interval->low == Approx(*interval.low).epsilon(1e-9));
  CHECK(score->brier_interval->high == Approx(*interval.high).epsilon(1e-9));
  CHECK(*score->gap_interval->low < score->gap);
  CHECK(*score->gap_interval->high > score->gap);
}

TEST_CASE("forecasts that say nothing, that are alike, and that are none") {
  CHECK_FALSE(stats::score_forecasts({}, 0.95, 1));
  const std::vector<Forecast> alike(4, {0.5, true});
  const auto score = stats::score_forecasts(alike, 0.95, 1);
  CHECK(score->brier == 0.25);
  CHECK_FALSE(score->brier_interval);
  for (const double wrong : {-0.1, 1.1, std::nan("")})
    CHECK_THROWS_AS(stats::score_forecasts(std::vector<Forecast>{{wrong, true}}, 0.95, 1), std::invalid_argument);
}
