// Artifacts of others in the memory: once for the same files, chained, found by their words, and made anew.
#include "memory/store/imports.h"

#include <catch2/catch.hpp>

#include "memory/store/memories.h"
#include "memory/store/read_models.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"

namespace {

using story::TempFolder;

kernel::ImportedArtifact artifact_called(const std::string& id, char files) {
  kernel::ImportedArtifact artifact;
  artifact.id = id;
  artifact.title = "Deep Residual Learning";
  artifact.source = "/data/resnet";
  artifact.files = std::string(64, files);
  artifact.items = {{"artifact", "", "", "Deep Residual Learning", "Residual functions are easier to fit."},
                    {"claim", "C01", "supported", "Depth helps", "Statement: deeper residual nets have lower error."},
                    {"dead_end", "N07", "", "Plain nets", "hypothesis: plain nets train as well; failure_mode: no"}};
  return artifact;
}

std::vector<std::string> problems_of(memory::Database& database) {
  std::vector<std::string> all;
  memory::check_imports(database, [&](std::string problem) { all.push_back(std::move(problem)); });
  return all;
}

}  // namespace

TEST_CASE("what was imported is found with its source, and only once for the same files") {
  TempFolder home;
  memory::Store store(home);
  const memory::TakenIn first = store.take_in(artifact_called("ara:resnet", 'a'), 7);
  CHECK((first.id == "ara:resnet" && !first.already));
  const memory::TakenIn again = store.take_in(artifact_called("ara:other", 'a'), 8);
  CHECK((again.id == "ara:resnet" && again.already));
  CHECK(store.take_in(artifact_called("ara:resnet", 'b'), 9).id == "ara:resnet-2");
  const memory::Reader reader(home);
  const auto found = reader.recall({"residual", "ara:resnet", "claim", "supported"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].address == "ara:resnet/C01");
  CHECK(found[0].from == "Deep Residual Learning, imported from /data/resnet");
  CHECK(reader.recall({"", "ara:resnet", "artifact", ""}).at(0).address == "ara:resnet");
  CHECK(reader.import("ara:resnet")->find("N07")->title == "Plain nets");
  CHECK(reader.imports().size() == 2);
  CHECK_FALSE(reader.import("ara:resnet-3"));
}

TEST_CASE("without words what was imported comes after the home's own studies") {
  TempFolder home;
  story::Teller teller;
  memory::Store store(home);
  store.take_in(artifact_called("ara:resnet", 'a'), 7);
  store.append({teller.open("s1")}, teller.state);
  const auto found = memory::Reader(home).recall({});
  REQUIRE(found.size() == 4);
  CHECK(found[0].address == "s1");
  CHECK(found[0].from.empty());
}

TEST_CASE("the memories of imports are made anew from their records") {
  TempFolder home;
  memory::Store(home).take_in(artifact_called("ara:resnet", 'a'), 7);
  {
    memory::Database database(home / "etude.db", memory::Database::Access::write);
    memory::rebuild_read_models(database);
  }
  CHECK(memory::Reader(home).recall({"plain", "", "dead_end", ""}).at(0).address == "ara:resnet/N07");
}

TEST_CASE("an import that is changed or gone is a problem") {
  TempFolder home;
  {
    memory::Store store(home);
    store.take_in(artifact_called("ara:one", 'a'), 7);
    store.take_in(artifact_called("ara:two", 'b'), 8);
    store.take_in(artifact_called("ara:three", 'c'), 9);
  }
  memory::Database database(home / "etude.db", memory::Database::Access::write);
  CHECK(problems_of(database).empty());
  SECTION("changed") {
    database.run_script("UPDATE imports SET record = replace(record, 'supported', 'refuted') WHERE n = 2");
    CHECK(problems_of(database) == std::vector<std::string>{"import ara:two: was changed after it was recorded"});
  }
  SECTION("gone from the middle") {
    database.run_script("DELETE FROM imports WHERE n = 2");
    CHECK(problems_of(database).size() == 2);
  }
  SECTION("gone from the end") {
    database.run_script("DELETE FROM imports WHERE n = 3");
    CHECK(problems_of(database) == std::vector<std::string>{"imports after 2: 3 were written, they are gone"});
  }
}

TEST_CASE("an artifact is called after its folder, in letters that an address can have") {
  CHECK(kernel::foreign_id("sorting-ara") == "ara:sorting");
  CHECK(kernel::foreign_id("Deep Residual / Nets!") == "ara:Deep-Residual-Nets");
  CHECK(kernel::foreign_id("\x1b[2J") == "ara:2J");
  CHECK(kernel::foreign_id("...") == "ara:artifact");
  CHECK(kernel::foreign_id("") == "ara:artifact");
  CHECK(kernel::foreign_id(std::string(500, 'x')).size() == 52);
}
