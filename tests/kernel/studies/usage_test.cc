// What counters said of a run goes through log, state and shapes unchanged; what none said is null everywhere.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"
#include "kernel/domain/job_spec.h"
#include "kernel/views/shapes.h"
#include "tests/kernel/studies/world.h"

namespace {

using nlohmann::json;

kernel::Usage counted_usage(double joules, bool exclusive) {
  kernel::Usage usage{1.5, 2, 4096, 512, 1024};
  usage.energy = kernel::Energy{{{"package-0", joules}, {"GPU-a", 0.000001}},
                                "rapl:package-0 nvml:GPU-a",
                                1'700'000'000'000,
                                1'700'000'002'500,
                                exclusive};
  usage.gpu = kernel::GpuUsage{0.25, std::nullopt, 1 << 20, 4};
  return usage;
}

/// The ledger's energy after a study whose runs used this, in the order of their launches.
json energy_spent(const std::vector<kernel::Usage>& usages) {
  std::size_t next = 0;
  World world([&](const kernel::JobSpec&) {
    kernel::ReportEnd report = fakes::FakeExecutor::succeeded({{"time_ms", 1.0 + static_cast<double>(next % 7)}});
    if (next < usages.size()) report.outcome.usage = usages[next];
    ++next;
    return report;
  });
  world.open(small_spec({quick_is_faster()}));
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  REQUIRE(next > usages.size());
  CHECK(kernel::ledger_shape(*world.replayed().study("s1")).at("energy_j") ==
        kernel::ledger_shape(*loop.state().study("s1")).at("energy_j"));
  return kernel::ledger_shape(*loop.state().study("s1")).at("energy_j");
}

}  // namespace

TEST_CASE("usage without counters is written as it was before there were any, and reads as none") {
  const json written = kernel::Usage{1.5, 2, 4096, 512, 1024};
  CHECK(written.dump() == R"({"cpu_s":1.5,"read_bytes":512,"rss_peak_bytes":4096,"wall_s":2.0,"written_bytes":1024})");
  const auto read = written.get<kernel::Usage>();
  CHECK_FALSE(read.energy);
  CHECK_FALSE(read.gpu);
}

TEST_CASE("what counters said comes back from the log as it was") {
  kernel::RunEnded ended;
  ended.outcome.usage = counted_usage(12.345678, true);
  const kernel::EventBody back = kernel::decode("RunEnded", kernel::event_version, kernel::encode(ended));
  const kernel::Usage& usage = std::get<kernel::RunEnded>(back).outcome.usage;
  CHECK(kernel::usage_shape(usage) == kernel::usage_shape(ended.outcome.usage));
  REQUIRE(usage.energy);
  CHECK(usage.energy->counters == ended.outcome.usage.energy->counters);
  CHECK(usage.energy->exclusive);
}

TEST_CASE("a run's shape has its joules with source, window and whether they are its own, or null") {
  const json shape = kernel::usage_shape(counted_usage(12.345678, false));
  CHECK(shape.at("energy") == json::parse(R"({
      "joules": 12.345679, "source": "rapl:package-0 nvml:GPU-a", "exclusive": false,
      "counters": {"package-0": 12.345678, "GPU-a": 0.000001},
      "window": ["2023-11-14T22:13:20.000Z", "2023-11-14T22:13:22.500Z"]})"));
  CHECK(shape.at("gpu") == json::parse(R"({"utilisation_mean": 0.25, "utilisation_max": null,
      "memory_peak_bytes": 1048576, "samples": 4})"));
  CHECK(shape.at("written_bytes") == 1024);
  CHECK(kernel::usage_shape({}).at("energy").is_null());
  CHECK(kernel::usage_shape({}).at("gpu").is_null());
}

TEST_CASE("the ledger sums what was counted to the microjoule, and is null where no run had a counter") {
  CHECK(energy_spent({}) ==
        json::parse(R"({"limit": null, "reserved": 0, "spent": null, "runs": 0, "exclusive": null})"));
  CHECK(energy_spent({counted_usage(0.1, true), kernel::Usage{}, counted_usage(0.2, true)}) ==
        json::parse(R"({"limit": null, "reserved": 0, "spent": 0.300002, "runs": 2, "exclusive": true})"));
  const json shared = energy_spent({counted_usage(0.1, true), counted_usage(0.2, false), counted_usage(1, true)});
  CHECK(shared.at("spent") == 1.300003);
  CHECK(shared.at("exclusive") == false);
}
