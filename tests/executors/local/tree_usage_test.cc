// What a job's whole tree used: those it waited for, those it left behind, those that were killed.
#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include <catch2/catch.hpp>

#include "executors/run_protocol/usage_series.h"
#include "tests/executors/fixture.h"

namespace {

using kernel::SandboxMode;

/// Makes the file NAME once it has used 0.2 s of processor time, and waits until it is killed. Without
/// braces, which a command would take for placeholders.
std::string busy(const std::string& name) {
  return "perl -e '1 while (times)[0] < 0.2; open F, \">" + name + "\"; sleep 1000'";
}

std::string until_there(const std::string& names) {
  return "for file in " + names + "; do until test -e $file; do sleep 0.02; done; done";
}

kernel::JobSpec job_in(const test::Bench& bench, SandboxMode mode, const std::string& command) {
  kernel::JobSpec job = bench.job("r1", command);
  job.resources.sandbox = mode;
  return job;
}

kernel::JobOutcome run_in(SandboxMode mode, const std::string& command) {
  test::Bench bench;
  return bench.run(job_in(bench, mode, command));
}

}  // namespace

TEST_CASE("processor time of a job that is killed, and of what a job leaves behind, is counted") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  // Four processes that only SIGKILL ends, and the shell between them and us, which the job's end does not wait for.
  test::Bench bench;
  const auto job = job_in(bench, mode,
                          "cd $ETUDE_CHECKPOINT; trap '' TERM; " + busy("1") + " & " + busy("2") + " & " + busy("3") +
                              " & " + busy("4") + " & wait");
  bench.start(job);
  for (const char* file : {"1", "2", "3", "4"})
    REQUIRE(test::eventually([&] { return test::exists(job.folder + "/checkpoint/" + file); }));
  bench.cancel("r1");
  const auto killed = bench.outcome("r1");
  CHECK(killed.end == kernel::JobEnd::cancelled);
  CHECK(killed.usage.cpu_s >= 0.8);
  const auto left = run_in(mode, "(setsid " + busy("done") + " &); " + until_there("done"));
  CHECK(left.end == kernel::JobEnd::exited);
  CHECK(left.usage.cpu_s >= 0.2);
}

TEST_CASE("what is written is counted for the whole tree, also of processes that nobody waits for") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  const std::string write = "head -c 3000000 /dev/zero > ";
  if (run_in(mode, write + "a").usage.written_bytes < 3000000) {
    WARN("skipped, this file system keeps no account of what is written");
    return;
  }
  const auto outcome = run_in(mode, write + "a; (setsid sh -c '" + write +
                                        "b; : > done; sleep 1000' &); until test -e done; do sleep 0.02; done");
  CHECK(outcome.usage.written_bytes >= 6000000);
  CHECK(outcome.usage.written_bytes < 9000000);
}

TEST_CASE("the peak of memory is that of all processes together, without a limit as with one") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  // Memory is looked at now and then. The processes live longer from one round to the next, until it was in time.
  kernel::JobOutcome outcome;
  for (int seconds = 1; seconds <= 64 && outcome.usage.rss_peak_bytes <= 120 << 20; seconds *= 2) {
    const std::string part = "/usr/bin/perl -e 'my $x = \"a\" x (30 << 20); sleep " + std::to_string(seconds) + "'";
    outcome = run_in(mode, part + " & " + part + " & " + part + " & " + part + " & wait");
    CHECK(outcome.end == kernel::JobEnd::exited);
  }
  CHECK(outcome.usage.rss_peak_bytes > 120 << 20);
  CHECK(outcome.usage.rss_peak_bytes < 400 << 20);
}

namespace {

struct UsageRow {
  double seconds = 0, cpu_seconds = 0;
  std::int64_t memory_bytes = 0;
};

std::vector<UsageRow> rows_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line == "seconds,cpu_seconds,memory_bytes");
  std::vector<UsageRow> rows;
  while (std::getline(lines, line)) {
    UsageRow row;
    REQUIRE(std::sscanf(line.c_str(), "%lf,%lf,%ld", &row.seconds, &row.cpu_seconds, &row.memory_bytes) == 3);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("what a job used is known over time, with what its ended children used") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  // A child works and ends; then another one holds memory.
  const kernel::JobOutcome outcome =
      run_in(mode, "perl -e '1 while (times)[0] < 0.8'; perl -e 'my $held = \"x\" x 60_000_000; sleep 2'; true");
  REQUIRE(outcome.usage_over_time);
  const std::vector<UsageRow> rows = rows_of(*outcome.usage_over_time);
  REQUIRE(rows.size() >= 3);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(rows[i].seconds > rows[i - 1].seconds);
    CHECK(rows[i].cpu_seconds >= rows[i - 1].cpu_seconds);
  }
  CHECK(rows.back().seconds <= outcome.usage.wall_s);
  CHECK(rows.back().cpu_seconds >= 0.7);
  CHECK(rows.back().cpu_seconds <= outcome.usage.cpu_s + 0.001);
  CHECK(rows.front().memory_bytes < 30'000'000);
  CHECK(std::ranges::max(rows, {}, &UsageRow::memory_bytes).memory_bytes > 60'000'000);
  CHECK_FALSE(run_in(mode, "sleep 0.7").usage_over_time);
}

TEST_CASE("a usage series has a bounded number of points, and forgets no peak") {
  supervisor::UsageSeries series;
  CHECK(series.text(1000, 0).empty());
  const std::int64_t peak_at = 777'500;
  int points = 0;
  for (std::int64_t at = 0; at < 3'600'000; at += 250) {
    series.see_memory(at == peak_at ? 5000 : 10);
    if (!series.is_due(at)) continue;
    series.add(at, at * 500);
    ++points;
  }
  CHECK(points > 240);
  series.see_memory(7000);
  std::istringstream text(series.text(3'600'000, 1'800'000'000));
  std::vector<std::array<std::int64_t, 3>> kept;
  for (std::string point; text >> point;) {
    auto& [at, cpu, bytes] = kept.emplace_back();
    REQUIRE(std::sscanf(point.c_str(), "%ld:%ld:%ld", &at, &cpu, &bytes) == 3);
    CHECK(cpu == at / 2);
  }
  CHECK(kept.size() <= 240);
  CHECK(kept.back() == std::array<std::int64_t, 3>{3'600'000, 1'800'000, 7000});
  kept.pop_back();
  CHECK(kept.size() >= 120);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::int64_t from = i > 0 ? kept[i - 1][0] : -1;
    CHECK(kept[i][2] == (from < peak_at && peak_at <= kept[i][0] ? 5000 : 10));
  }
}
