// Stores of every schema there ever was. tests/memory/golden/store-vN.sql is one as the program of schema N left it;
// opened, it must become what a fresh store with the same events is. `test_memory "[.golden]"` writes the newest.
#include "memory/log/migrations.h"

#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "memory/files/home_folder.h"
#include "memory/store/read_models.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "memory/store/verify.h"
#include "tests/memory/log/golden_store.h"
#include "tests/memory/story.h"

namespace {

using story::TempFolder;

std::string golden_store(int schema) {
  return fmt::format("store-v{}.sql", schema);
}

int newest_schema() {
  return static_cast<int>(memory::migrations().size());
}

std::string database_of(const std::string& home) {
  return memory::database_path(home);
}

/// Without the events, which an older program wrote in its own words, and their chain's head.
std::string without_events(const std::string& home) {
  std::string all, head = memory::Reader(home).head("s1");
  std::istringstream lines(golden::dump_of(home));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("INSERT INTO events ")) all += line + "\n";
  for (std::size_t at; (at = all.find(head)) != all.npos;) all.replace(at, head.size(), "HEAD");
  return all;
}

std::string events_of(const std::string& home) {
  std::string all;
  memory::Database database(database_of(home), memory::Database::Access::read);
  for (memory::Query q = database.query("SELECT quote(payload) || prev || hash FROM events ORDER BY seq"); q.step();)
    all += fmt::format("{}\n", q.text(0));
  return all;
}

}  // namespace

TEST_CASE("a store of every earlier schema becomes what a fresh one with the same events is") {
  for (int schema = 1; schema <= newest_schema(); ++schema) {
    INFO("schema " << schema);
    TempFolder old;
    golden::restore(old, golden_store(schema));
    {
      memory::Database database(database_of(old), memory::Database::Access::read);
      REQUIRE(database.integer("PRAGMA user_version") == schema);
    }
    const std::string events = events_of(old);
    { memory::Store store(old); }
    CHECK(events_of(old) == events);
    const memory::Reader reader(old);
    REQUIRE(reader.ids() == std::vector<std::string>{"s1"});

    TempFolder fresh;
    memory::Store store(fresh);
    kernel::State state;
    reader.events("s1", 0, [&](const memory::StoredEvent& event) {
      kernel::apply(state, event.decoded());
      store.append({event.decoded()}, state);
    });
    CHECK(state.studies.at("s1").state == kernel::StudyState::ended);
    CHECK(without_events(old) == without_events(fresh));
    CHECK(memory::verify(old).problems == std::vector<std::string>{});
  }
}

TEST_CASE("write the golden store of the newest schema", "[.golden]") {
  const std::string path = golden::path(golden_store(newest_schema()));
  if (!story::content(path).empty()) return;  // the past is never written anew
  TempFolder home;
  story::Teller teller;
  memory::Store store(home);
  store.append(teller.whole("s1"), teller.state);
  std::ofstream(path) << golden::dump_of(home);
}
