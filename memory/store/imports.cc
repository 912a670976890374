#include "memory/store/imports.h"

#include <exception>

#include <fmt/format.h>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "memory/store/memories.h"

namespace memory {

namespace {

constexpr const char* import_columns = "SELECT n, time, id, title, source, files, record, prev, hash FROM imports";

StoredImport import_in(const Query& row) {
  return {row.integer(0),           row.integer(1),           std::string(row.text(2)),
          std::string(row.text(3)), std::string(row.text(4)), std::string(row.text(5)),
          std::string(row.text(6)), std::string(row.text(7)), std::string(row.text(8))};
}

std::string free_id(Database& database, const std::string& wanted) {
  std::string id = wanted;
  for (int i = 2; import_of(database, id); ++i) id = fmt::format("{}-{}", wanted, i);
  return id;
}

}  // namespace

std::string StoredImport::chain_hash() const {
  std::string bytes = "etude-import/1\n";
  for (const std::string* field : {&prev, &id, &title, &source, &files, &record})
    bytes += fmt::format("{}:{}\n", field->size(), *field);
  return kernel::sha256_hex(bytes + std::to_string(n) + " " + std::to_string(time_ms));
}

TakenIn take_in(Database& database, kernel::ImportedArtifact artifact, std::int64_t time_ms) {
  if (std::string id = import_with(database, artifact.files); !id.empty()) return {std::move(id), true};
  artifact.id = free_id(database, artifact.id);
  StoredImport row{database.integer("SELECT coalesce(max(n), 0) + 1 FROM imports"),
                   time_ms,
                   artifact.id,
                   artifact.title,
                   artifact.source,
                   artifact.files,
                   kernel::record_of(artifact),
                   "",
                   ""};
  if (Query last = database.query("SELECT hash FROM imports ORDER BY n DESC LIMIT 1"); last.step())
    row.prev = last.text(0);
  row.hash = row.chain_hash();
  database.run(
      "INSERT INTO imports(n, id, time, title, source, files, record, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      row.n, row.id, row.time_ms, row.title, row.source, row.files, row.record, row.prev, row.hash);
  remember_import(database, artifact);
  return {row.id, false};
}

void each_import(Database& database, const std::function<void(const StoredImport&)>& each) {
  // A backup is also made of an older store.
  if (database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'imports'") == 0) return;
  for (Query q = database.query(std::string(import_columns) + " ORDER BY n"); q.step();) each(import_in(q));
}

std::optional<StoredImport> import_of(Database& database, const std::string& id) {
  Query q = database.query(std::string(import_columns) + " WHERE id = ?", id);
  return q.step() ? std::optional(import_in(q)) : std::nullopt;
}

std::string import_with(Database& database, const std::string& files) {
  Query q = database.query("SELECT id FROM imports WHERE files = ?", files);
  return q.step() ? std::string(q.text(0)) : std::string();
}

void check_imports(Database& database, const std::function<void(std::string problem)>& problem) {
  std::string head;
  std::int64_t expected = 1;
  each_import(database, [&](const StoredImport& row) {
    const std::string which = "import " + row.id;
    if (row.n != expected) problem(fmt::format("{}: expected number {} here; imports are missing", which, expected));
    if (row.prev != head) problem(which + ": does not continue the chain");
    if (row.chain_hash() != row.hash) problem(which + ": was changed after it was recorded");
    try {
      const kernel::ImportedArtifact said = kernel::read_import(row.record);
      if (said.id != row.id || said.files != row.files) problem(which + ": its record is another one's");
    } catch (const std::exception&) {
      problem(which + ": its record cannot be read");
    }
    expected = row.n + 1;
    head = row.hash;
  });
  const std::int64_t written =
      database.integer("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'imports'");
  if (written != expected - 1)
    problem(fmt::format("imports after {}: {} were written, they are gone", expected - 1, written));
}

}  // namespace memory
