// In which order the two streams of real jobs come.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <catch2/catch.hpp>

#include "executors/backend/harvest.h"
#include "executors/run_protocol/run_files.h"
#include "tests/executors/fixture.h"

namespace {

using executors::Harvest;
using executors::OutputStream;
using kernel::SandboxMode;

std::optional<std::string> merged_of(const std::string& folder) {
  const Harvest harvest(folder);
  const std::string out = harvest.log(OutputStream::out), err = harvest.log(OutputStream::err);
  const auto order = harvest.log_order(out, err);
  return order ? order->merged(out, err) : std::nullopt;
}

/// Numbered lines, the even ones of stdout.
std::string numbered(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += (i % 2 == 0 ? "out: " : "err: ") + std::to_string(i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("the lines of a job that alternates between its streams come back in the order of its writes") {
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  if (mode == SandboxMode::automatic && !test::has_sandbox()) return;
  test::Bench bench;
  // As many as the pipes hold unread, and far more: then writes wait, and their signals tell less.
  for (const int lines : {60, 1000}) {
    CAPTURE(lines);
    test::write(bench.folder() / "workspace/alternate.pl",
                "for my $i (0 .. " + std::to_string(lines - 1) + ") { syswrite($i % 2 ? STDERR : STDOUT, \"$i\\n\") }");
    auto job = bench.job("r" + std::to_string(lines), "perl alternate.pl");
    job.resources.sandbox = mode;
    CHECK(bench.run(job).exit == 0);
    const std::string merged = merged_of(job.folder).value_or("no order");
    if (lines == 60) {
      CHECK(merged == numbered(lines));
      continue;
    }
    std::istringstream in(merged);
    int place = 0, furthest = 0;
    for (std::string stream, number; in >> stream >> number; ++place)
      furthest = std::max(furthest, std::abs(std::stoi(number) - place));
    CHECK(place == lines);
    CHECK(furthest <= 4);
  }
}

TEST_CASE("of a running job the lines that are complete are merged, and later ones follow them") {
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  if (mode == SandboxMode::automatic && !test::has_sandbox()) return;
  test::Bench bench;
  auto job = bench.job("r1",
                       "echo 0; printf 'not ' ; echo 1 >&2; echo 2 >&2; until test -e $ETUDE_CHECKPOINT/go; do sleep "
                       "0.02; done; echo 'cut'; echo 3 >&2");
  job.resources.sandbox = mode;
  bench.start(job);
  const auto now = [&] {
    const executors::BothLogs logs = Harvest(job.folder).both_logs();
    return logs.order ? logs.order->merged(logs.out, logs.err).value_or("too few lines") : "no order";
  };
  CHECK(test::eventually([&] { return now() == "out: 0\nerr: 1\nerr: 2\n"; }));
  test::write(job.folder + "/checkpoint/go", "");
  CHECK(bench.outcome("r1").exit == 0);
  CHECK(merged_of(job.folder) == "out: 0\nerr: 1\nerr: 2\nout: not cut\nerr: 3\n");
}

TEST_CASE("a job with one stream leaves no marks, and without marks two streams have no order") {
  if (!test::has_sandbox()) return;
  test::Bench bench;
  const auto one = bench.job("r1", "echo 0; echo 1"), two = bench.job("r2", "echo 0; echo 1 >&2");
  CHECK(bench.run(one).exit == 0);
  CHECK_FALSE(test::exists(one.folder + "/" + supervisor::order_file));
  CHECK(merged_of(one.folder) == "out: 0\nout: 1\n");
  CHECK(bench.run(two).exit == 0);
  CHECK(merged_of(two.folder) == "out: 0\nerr: 1\n");
  // As an older supervisor left it.
  test::run_to_end({"/bin/rm", two.folder + "/" + supervisor::order_file});
  CHECK_FALSE(merged_of(two.folder));
  CHECK_FALSE(Harvest(two.folder).both_logs().order);
}

TEST_CASE("where much output was left out, the other stream's lines stand around the gap") {
  if (!test::has_sandbox()) return;
  test::Bench bench;
  test::write(bench.folder() / "workspace/much.pl",
              "$| = 1; print STDERR \"first\\n\"; my $mb = ('x' x 1023 . \"\\n\") x 1024; print $mb for 1 .. 10;"
              "print STDERR \"middle\\n\"; print $mb for 1 .. 10; print STDERR \"last\\n\"; print \"end\\n\"");
  const auto job = bench.job("r1", "perl much.pl");
  CHECK(bench.run(job).exit == 0);
  const auto merged = merged_of(job.folder);
  REQUIRE(merged);
  const std::size_t middle = merged->find("err: middle\n"), gap = merged->find("out: [etude: ");
  CHECK(merged->starts_with("err: first\nout: x"));
  CHECK(middle != merged->npos);
  CHECK(gap != merged->npos);
  CHECK(middle < gap);
  // Next to large writes a line's place is known to some blocks.
  const std::size_t last = merged->find("err: last\n");
  REQUIRE(last != merged->npos);
  CHECK(merged->size() - last < 64 << 10);
  CHECK(last > gap + (7 << 20));
  CHECK(std::ranges::count(*merged, '\n') == 8 * 1024 * 2 + 1 + 3 + 1);
}
