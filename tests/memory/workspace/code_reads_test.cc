#include "memory/workspace/code_reads.h"

#include <catch2/catch.hpp>

using kernel::CodeRead;

namespace {

std::vector<kernel::CodeLine> reads(std::string_view path, std::string_view text) {
  return memory::code_reads(path, text, [](std::string_view line) { return line.find("agent") != line.npos; });
}

}  // namespace

TEST_CASE("lines that read the run's environment are named with their place and author") {
  const auto found = reads("job.py",
                           "import os\n"
                           "seed = int(os.environ['ETUDE_SEED'])  # ETUDE_PARAMS\n"
                           "  agent = open(os.environ[\"ETUDE_PARAMS\"]).read()\n"
                           "# ETUDE_RUN\n"
                           "run = os.environ['ETUDE_RUNS']\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].reads == CodeRead::seed);
  CHECK(found[0].place == "job.py:2: seed = int(os.environ['ETUDE_SEED'])");
  CHECK_FALSE(found[0].by_agent);
  CHECK(found[1].reads == CodeRead::parameters);
  CHECK(found[1].by_agent);
  CHECK(reads("notes.md", "ETUDE_SEED\n").empty());
}

TEST_CASE("a clock is reported where its value reaches a metric or a seed") {
  const auto told = [](std::string_view text) {
    const auto found = reads("job.py", text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].reads == CodeRead::clock);
    return found[0].reported;
  };
  CHECK(told("random.seed(time.time())\n"));
  CHECK(told("t = time.time()\nx = t % 7\nout.write(json.dumps({'name': 'y', 'value': x}))\n"));
  CHECK_FALSE(told("t = time.perf_counter()\nprint('it took', t)\n"));
  CHECK_FALSE(told("started = datetime.now()\nvalue = 3\n"));
}

TEST_CASE("lines that sleep are named, and a record keeps the first of each kind") {
  CHECK(reads("job.sh", "sleep 3\n").size() == 1);
  CHECK(reads("job.py", "asleep = 1\n").empty());
  kernel::WorkspaceRecord record;
  std::string many;
  for (int i = 0; i < 20; ++i) many += "sleep 1\n";
  memory::add_code_reads(record, reads("job.sh", many));
  CHECK(record.reads.size() == memory::most_code_reads);
}
