#pragma once
// Artifacts that were taken into the home's memory, in a table of their own that only grows: they are nobody's study,
// so no study's events tell of them. What can be searched of them is written with the memories of studies, and like
// those made anew from here. Callers hold the transaction.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernel/domain/imported_artifact.h"
#include "memory/log/database.h"

namespace memory {

struct TakenIn {
  std::string id;
  bool already = false;  ///< The same files were taken in before, and nothing was changed.
};

/// Under the artifact's id, or under that and a number where another artifact has it. Its files must be blobs already.
TakenIn take_in(Database&, kernel::ImportedArtifact, std::int64_t time_ms);

struct StoredImport {
  std::int64_t n = 0, time_ms = 0;
  std::string id, title, source, files, record;
  std::string prev, hash;

  /// Over all else.
  std::string chain_hash() const;
};
/// Oldest first.
void each_import(Database&, const std::function<void(const StoredImport&)>&);
/// Without a list of its items. Nothing: there is none of that id.
std::optional<StoredImport> import_of(Database&, const std::string& id);
/// The id of what has these files; empty: nothing has.
std::string import_with(Database&, const std::string& files);
/// What is wrong with the table: rows that are gone, were changed, or cannot be read.
void check_imports(Database&, const std::function<void(std::string problem)>&);

}  // namespace memory
