#include "kernel/verdicts/forecasts.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

TEST_CASE("each role's forecasts by themselves, in the order of the roles, and in words") {
  const auto list = kernel::forecasts_shape(
      {{"hypothesis", 0.9, true}, {"person", 0.5, false}, {"hypothesis", 0.8, false}, {"hypothesis", 0.6, true}});
  REQUIRE(list.size() == 2);
  CHECK(list[0].at("role") == "hypothesis");
  CHECK(list[0].at("n") == 3);
  CHECK(list[0].at("brier").get<double>() == Approx(0.27));
  CHECK(list[1].at("brier_interval").is_null());
  CHECK(kernel::forecast_words(list[1]) == "1 forecast, Brier score 0.25, 0.50 too confident");
  CHECK(kernel::forecast_words(list[0]).find("3 forecasts, Brier score 0.27 [") == 0);
  CHECK(kernel::forecasts_shape({}).empty());
}
