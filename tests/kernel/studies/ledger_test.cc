// Who spent what: every run is charged to one role and branch, once, whatever became of it.
#include "kernel/study/ledger.h"

#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/views/shapes.h"
#include "tests/kernel/studies/world.h"

namespace {

using nlohmann::json;

json accounts_of(const kernel::State& state) {
  return kernel::ledger_shape(*state.study("s1")).at("accounts");
}

std::int64_t total(const json& accounts, const char* part) {
  std::int64_t sum = 0;
  for (const json& account : accounts) sum += account.at("runs").at(part).get<std::int64_t>();
  return sum;
}

}  // namespace

TEST_CASE("each run is charged to the role that asked for it and the branch it is for") {
  int jobs = 0;
  World world([&](const kernel::JobSpec&) {
    kernel::ReportEnd report = fakes::FakeExecutor::succeeded({{"time_ms", 1.0 + jobs++ % 5}});
    report.outcome.usage.wall_s = 2;
    return report;
  });
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.smoke = true;
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const json accounts = accounts_of(loop.state());
  REQUIRE(accounts.size() == 2);
  CHECK(accounts[0].at("branch") == "smoke");
  CHECK(accounts[1].at("branch") == "E01");
  for (const json& account : accounts) {
    CHECK(account.at("role") == "experiment");
    CHECK(account.at("run_s").get<double>() == 2 * account.at("runs").at("spent").get<double>());
    CHECK(account.at("runs").at("reserved") == 0);
  }
  CHECK(total(accounts, "spent") == kernel::ledger_shape(*loop.state().study("s1")).at("runs").at("spent"));
  CHECK(accounts_of(world.replayed()) == accounts);
}

TEST_CASE("a retry is charged to who asked for the first attempt; what lives is reserved there") {
  int jobs = 0;
  World world([&](const kernel::JobSpec&) {
    kernel::ReportEnd report = fakes::FakeExecutor::succeeded({{"time_ms", 1.0 + jobs % 5}});
    if (jobs++ == 0) report.outcome.exit = 75;
    return report;
  });
  world.clock.tick_ms = 50;  // Retries wait a while.
  world.open(small_spec({quick_is_faster()}));
  kernel::Loop loop(world.parts());
  std::int64_t most_reserved = 0;
  loop.run([&](const kernel::State& state) {
    if (!state.study("s1")) return false;
    const json accounts = accounts_of(state);
    most_reserved = std::max(most_reserved, total(accounts, "reserved"));
    CHECK(total(accounts, "reserved") == static_cast<std::int64_t>(state.study("s1")->live.size()));
    return World::at_rest(state);
  });
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(most_reserved > 0);
  REQUIRE(std::any_of(study.runs.begin(), study.runs.end(), [](const kernel::Run& run) { return run.retry_of > 0; }));
  for (const json& account : accounts_of(loop.state())) CHECK(account.at("role") == "experiment");
  CHECK(total(accounts_of(loop.state()), "spent") == static_cast<std::int64_t>(study.runs.size()));
}

TEST_CASE("GPU time is charged once for each GPU of a run, and not for a run without one") {
  kernel::Account account;
  kernel::Run run;
  run.token = kernel::LaunchToken("token");
  run.outcome.usage.wall_s = 30;
  kernel::settle(account, run);
  CHECK(account.gpu_seconds == 0);
  run.lease.gpus = {"GPU-0", "GPU-1"};
  kernel::settle(account, run);
  CHECK(account.gpu_seconds == 2 * 30);
  CHECK(account.run_seconds == 30 + 30);
  CHECK(account.runs == 2);
}

TEST_CASE("the wall time of earlier sessions counts, and the time between them does not") {
  kernel::State state;
  const auto at = [&](std::int64_t boot_ms, kernel::EventBody body) {
    kernel::apply(state, {"s1", "person", {boot_ms, boot_ms}, std::move(body)});
  };
  kernel::StudyOpened opened;
  opened.id = "s1";
  opened.spec = small_spec({quick_is_faster()});
  at(1'000, opened);
  at(4'000, kernel::StudyPaused{kernel::PauseReason::person, {}});
  at(100'000, kernel::StudyResumed{"boot", 0, {}});
  at(105'000, kernel::StudyPaused{kernel::PauseReason::person, {}});
  at(200'000, kernel::StudyResumed{"boot", 0, {}});
  const kernel::Study& study = *state.study("s1");
  CHECK(kernel::spending_of(study, {0, 202'000}).wall_s.spent == 3 + 5 + 2);
  CHECK(kernel::wall_used_at(study, 20) == 212'000);
}
