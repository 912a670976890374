#pragma once
// Imported artifacts, in an append-only table of their own because they belong to no study. What can be searched of
// them is in the memories' read model, which is rebuilt from here. Callers hold the transaction.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernel/domain/imported_artifact.h"
#include "memory/log/database.h"

namespace memory {

struct TakenIn {
  std::string id;
  bool already = false;  ///< The same files were imported before, and nothing was changed.
};

/// Imports the artifact under its id, with a number appended if another artifact has that id. Its files must be blobs
/// already.
TakenIn take_in(Database&, kernel::ImportedArtifact, std::int64_t time_ms);

struct StoredImport {
  std::int64_t n = 0, time_ms = 0;
  std::string id, title, source, files, record;
  std::string prev, hash;

  /// Hash over all other members.
  std::string chain_hash() const;
};
/// Oldest first.
void each_import(Database&, const std::function<void(const StoredImport&)>&);
/// Without the list of its items. None if there is no import with that id.
std::optional<StoredImport> import_of(Database&, const std::string& id);
/// The id of the import with these files; empty if there is none.
std::string import_with(Database&, const std::string& files);
/// Reports what is wrong with the table: rows that are missing, changed or unreadable.
void check_imports(Database&, const std::function<void(std::string problem)>&);

}  // namespace memory
