#include "kernel/runs/memory_forecast.h"

#include <catch2/catch.hpp>

using kernel::memory_forecast;
using kernel::MemoryForecast;

namespace {

/// A study of batch sizes and optimisers; its runs are of cells.
struct Batches {
  kernel::Study study;

  Batches() {
    kernel::Factor batch, optimiser;
    batch.name = "batch";
    batch.type = kernel::FactorType::integer;
    for (const int size : {8, 16, 32, 64, 128})
      batch.levels.push_back({std::to_string(size), {std::to_string(size), size}, {}});
    optimiser.name = "optimiser";
    for (const char* name : {"sgd", "adam"}) optimiser.levels.push_back({name, {name, std::nullopt}, {}});
    study.spec.factors = {batch, optimiser};
    for (const kernel::Level& size : batch.levels)
      for (const kernel::Level& name : optimiser.levels)
        study.cells.push_back({{"batch", size.name}, {"optimiser", name.name}});
  }
  kernel::Run of(int batch, const std::string& optimiser, const std::string& stage = "") const {
    const kernel::Cell cell = {{"batch", std::to_string(batch)}, {"optimiser", optimiser}};
    kernel::Run run;
    run.cell = static_cast<int>(std::find(study.cells.begin(), study.cells.end(), cell) - study.cells.begin());
    run.stage = stage;
    return run;
  }
  void took(const kernel::Run& run, std::int64_t bytes, std::int64_t gpu_bytes = 0) {
    study.peaks[{run.cell, run.stage}] = {bytes, gpu_bytes};
  }
  std::optional<MemoryForecast> forecast(int batch, const std::string& optimiser, const std::string& stage = "") const {
    return memory_forecast(study, of(batch, optimiser, stage));
  }
};

}  // namespace

TEST_CASE("a cell takes what it took, and a tenth more") {
  Batches batches;
  CHECK_FALSE(batches.forecast(8, "sgd"));
  batches.took(batches.of(8, "sgd"), 1000, 500);
  const auto forecast = batches.forecast(8, "sgd");
  REQUIRE(forecast);
  CHECK(forecast->bytes == 1100);
  CHECK(forecast->gpu_bytes == 550);
  CHECK(forecast->settings == 1);
}

TEST_CASE("a new setting lies on the line through at least three that differ from it in one number alone") {
  Batches batches;
  // 1000 + 100 · batch; 40 · batch on a device.
  for (const int batch : {8, 16}) batches.took(batches.of(batch, "sgd"), 1000 + 100 * batch, 40 * batch);
  batches.took(batches.of(128, "adam"), 1'000'000, 1'000'000);
  CHECK_FALSE(batches.forecast(64, "sgd"));
  batches.took(batches.of(32, "sgd"), 1000 + 100 * 32, 40 * 32);
  const auto forecast = batches.forecast(64, "sgd");
  REQUIRE(forecast);
  CHECK(forecast->bytes == 8140);
  CHECK(forecast->gpu_bytes == 2816);
  CHECK(forecast->settings == 3);
  CHECK_FALSE(batches.forecast(64, "adam"));
  CHECK_FALSE(batches.forecast(64, "sgd", "train"));
}

TEST_CASE("what is not known of one setting is not forecast, and nothing is less than nothing") {
  Batches batches;
  batches.took(batches.of(32, "sgd"), 3000, 100);
  batches.took(batches.of(64, "sgd"), 2000, 0);
  batches.took(batches.of(128, "sgd"), 10, 100);
  const auto forecast = batches.forecast(8, "sgd");
  REQUIRE(forecast);
  CHECK(forecast->bytes > 3000);
  CHECK(forecast->gpu_bytes == 0);
  for (const int batch : {8, 16, 32}) batches.took(batches.of(batch, "adam"), 3200 - 100 * batch);
  CHECK(batches.forecast(128, "adam")->bytes == 0);
}

TEST_CASE("the error of forecasts is the median of their distances from the peaks, devices apart") {
  using kernel::forecast_errors;
  CHECK_FALSE(forecast_errors({}, false));
  std::deque<kernel::MemoryOutcome> outcomes = {{1, false, 110, 100}, {2, true, 50, 100}, {3, false, 150, 100}};
  const auto even = forecast_errors(outcomes, false);
  REQUIRE(even);
  CHECK(even->runs == 2);
  CHECK(even->exceeded == 0);
  CHECK(even->median_error == Approx(0.3));
  CHECK(even->newest.run == 3);
  outcomes.push_back({4, false, 80, 100});
  const auto odd = forecast_errors(outcomes, false);
  REQUIRE(odd);
  CHECK(odd->exceeded == 1);
  CHECK(odd->median_error == Approx(0.2));
  const auto device = forecast_errors(outcomes, true);
  REQUIRE(device);
  CHECK(device->runs == 1);
  CHECK(device->exceeded == 1);
  CHECK(device->median_error == Approx(0.5));
}

TEST_CASE("what earlier studies took counts until the study has run a cell itself") {
  Batches batches;
  const auto cell = [](int batch, const char* optimiser) {
    return kernel::Cell{{"batch", std::to_string(batch)}, {"optimiser", optimiser}};
  };
  // 1000 + 100 · batch; 256 is no level of this study.
  for (const int batch : {8, 16, 256})
    batches.study.earlier_peaks.push_back({cell(batch, "sgd"), "", 1000 + 100 * batch, 0});
  batches.study.earlier_peaks.push_back({cell(8, "adam"), "prepare", 7'000'000, 0});
  CHECK(batches.forecast(16, "sgd")->bytes == 2860);
  CHECK(batches.forecast(64, "sgd")->bytes == 8140);
  CHECK(batches.forecast(64, "sgd")->settings == 3);
  CHECK_FALSE(batches.forecast(8, "adam"));
  CHECK(batches.forecast(8, "adam", "prepare")->bytes == 7'700'000);

  for (int i = 0; i < static_cast<int>(batches.study.cells.size()); ++i)
    batches.study.cell_numbers[batches.study.cells[static_cast<std::size_t>(i)]] = i;
  batches.took(batches.of(16, "sgd"), 5000);
  CHECK(batches.forecast(16, "sgd")->bytes == 5500);
  // The line goes through the study's own point and the two that only earlier studies have: y = 2236 + 95.33 · batch.
  CHECK(batches.forecast(64, "sgd")->bytes == Approx(9171).margin(2));
}
