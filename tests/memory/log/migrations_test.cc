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
#include "tests/memory/story.h"

namespace {

using story::TempFolder;

std::string golden_store(int schema) {
  return fmt::format("{}/tests/memory/golden/store-v{}.sql", ETUDE_SOURCE_DIR, schema);
}

int newest_schema() {
  return static_cast<int>(memory::migrations().size());
}

std::string database_of(const std::string& home) {
  return memory::database_path(home);
}

/// The store as SQL, its schema's number first, row by row.
std::string dump_of(const std::string& home) {
  memory::Database database(database_of(home), memory::Database::Access::read);
  std::string all = fmt::format("PRAGMA application_id = {};\nPRAGMA user_version = {};\n",
                                database.integer("PRAGMA application_id"), database.integer("PRAGMA user_version"));
  std::vector<std::string> tables;
  for (memory::Query q = database.query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE "
                                        "'sqlite%' AND name NOT LIKE 'memories_fts_%' ORDER BY type DESC, name");
       q.step();) {
    all += fmt::format("{};\n", q.text(1));
    if (q.text(1).starts_with("CREATE TABLE")) tables.emplace_back(q.text(0));
  }
  for (const std::string& table : tables) {
    std::string columns;
    for (memory::Query q = database.query("SELECT name FROM pragma_table_info('" + table + "')"); q.step();)
      columns += fmt::format("{}quote({})", columns.empty() ? "" : " || ',' || ", q.text(0));
    for (memory::Query q = database.query(fmt::format("SELECT {} FROM {} ORDER BY 1", columns, table)); q.step();)
      all += fmt::format("INSERT INTO {} VALUES({});\n", table, q.text(0));
  }
  // The index of words has its own tables, whose bytes depend on the order of writing.
  if (database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'memories_fts'") > 0)
    all += "INSERT INTO memories_fts(memories_fts) VALUES('rebuild');\n";
  return all;
}

/// Without the events, which an older program wrote in its own words, and their chain's head.
std::string without_events(const std::string& home) {
  std::string all, head = memory::Reader(home).head("s1");
  std::istringstream lines(dump_of(home));
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

/// A home whose store is the golden one.
void restore(const std::string& home, int schema) {
  const std::string sql = story::content(golden_store(schema));
  REQUIRE(sql.size() > 10'000);
  memory::Database(database_of(home), memory::Database::Access::write).run_script("BEGIN;" + sql + "COMMIT;");
}

}  // namespace

TEST_CASE("a store of every earlier schema becomes what a fresh one with the same events is") {
  for (int schema = 1; schema <= newest_schema(); ++schema) {
    INFO("schema " << schema);
    TempFolder old;
    restore(old, schema);
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
  const std::string path = golden_store(newest_schema());
  if (!story::content(path).empty()) return;  // the past is never written anew
  TempFolder home;
  story::Teller teller;
  memory::Store store(home);
  store.append(teller.whole("s1"), teller.state);
  std::ofstream(path) << dump_of(home);
}
