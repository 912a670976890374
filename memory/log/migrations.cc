#include "memory/log/migrations.h"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "embedded/migrations.h"

namespace memory {

namespace {

constexpr std::int64_t application_id = 0x65747564;  // "etud"

}  // namespace

std::vector<Migration> migrations() {
  std::vector<Migration> all;
  for (const std::string_view file : embedded::migrations_files()) {
    if (!file.ends_with(".sql")) continue;
    Migration m{0, std::string(file), embedded::migrations(file)};
    std::from_chars(file.data(), file.data() + file.size(), m.number);
    all.push_back(std::move(m));
    if (all.back().number != static_cast<int>(all.size()))
      throw std::logic_error("migrations have a hole at " + all.back().name);
  }
  return all;
}

int schema_version(Database& database, const std::vector<Migration>& all) {
  // In one statement, because another process may be creating the store.
  Query q = database.query(
      "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)"
      " FROM pragma_user_version, pragma_application_id");
  q.step();
  const std::int64_t version = q.integer(0), owner = q.integer(1);
  const bool empty = version == 0 && owner == 0 && q.integer(2) == 0;
  if (!empty && (owner != application_id || version < 1))
    throw StoreFault(database.path(), "is a database of another program",
                     "move it away, or choose another home with --home", true);
  if (version > static_cast<std::int64_t>(all.size()))
    throw StoreFault(database.path(),
                     fmt::format("was written by a newer etude (schema {}, this one knows {})", version, all.size()),
                     "use that etude, or choose another home with --home");
  return static_cast<int>(version);
}

void migrate(Database& database, const std::vector<Migration>& all, const std::function<void()>& then) {
  if (schema_version(database, all) == static_cast<int>(all.size())) return;
  Transaction transaction(database, Transaction::Kind::write);
  // Check again, because another process may have migrated the store meanwhile.
  const int before = schema_version(database, all);
  for (const Migration& m : all)
    if (m.number > before) database.run_script(std::string(m.sql));
  database.run_script(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, all.size()));
  then();
  transaction.commit();
}

}  // namespace memory
