#include "tests/memory/log/golden_store.h"

#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "memory/files/home_folder.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"
#include "tests/places.h"

namespace golden {

std::string path(const std::string& name) {
  return tests::source_dir() + "/tests/memory/golden/" + name;
}

std::string dump_of(const std::string& home) {
  memory::Database database(memory::database_path(home), memory::Database::Access::read);
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

void restore(const std::string& home, const std::string& file) {
  const std::string sql = story::content(path(file));
  REQUIRE(sql.size() > 10'000);
  memory::Database(memory::database_path(home), memory::Database::Access::write).run_script("BEGIN;" + sql + "COMMIT;");
}

}  // namespace golden
