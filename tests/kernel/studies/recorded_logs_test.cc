// Event logs as an earlier program wrote them, of studies of every kind (tests/e2e/record_home.py): this one must read
// them, follow them, and write every event again to the byte.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/codec/stored_event.h"
#include "kernel/decide/preconditions.h"
#include "kernel/study/state.h"
#include "tests/places.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> logs() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(tests::source_dir() + "/tests/kernel/golden/logs"))
    found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("every event of a recorded log is read and written again to the byte, and the log is followed") {
  std::set<std::string> types;
  for (const fs::path& log : logs()) {
    CAPTURE(log.string());
    std::ifstream in(log, std::ios::binary);
    kernel::Chain chain;
    kernel::State state;
    int different = 0;
    for (std::string line; std::getline(in, line);) {
      const auto stored = kernel::read_event_line(line);
      REQUIRE(stored);
      REQUIRE(chain.add(*stored).empty());
      CHECK(stored->json_line() == line);
      const kernel::Event event = stored->decoded();
      kernel::StoredEvent again = kernel::to_stored(event, stored->prev, stored->version);
      again.seq = stored->seq;
      if (again.json_line() != line && ++different <= 3) CHECK(again.json_line() == line);
      if (const kernel::Study* before = state.study(event.study))
        CHECK(kernel::cannot_follow(*before, event.body, event.actor).value_or("") == "");
      CHECK_NOTHROW(kernel::apply(state, event));
      types.insert(stored->type);
    }
    CHECK(different == 0);
    CHECK(state.studies.size() == 1);
    CHECK_FALSE(state.studies.begin()->second.nodes.empty());
  }
  // All but RunRequeued, and the end, which no artifact has in its own log.
  CHECK(types.size() >= 40);
}
