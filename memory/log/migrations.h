#pragma once
// The versions of the store's schema: numbered SQL files, applied in order in one transaction, so no reader sees an
// intermediate schema. The last number applied is the database's user_version.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/log/database.h"

namespace memory {

struct Migration {
  int number = 0;
  std::string name;
  std::string_view sql;
};

/// The program's migrations in order; numbers count from 1 without gaps.
std::vector<Migration> migrations();

/// The last migration applied; 0 for an empty database. Throws StoreFault for another program's database and for the
/// store of a newer etude. Changes nothing.
int schema_version(Database&, const std::vector<Migration>& all);

/// Brings the store up to date; refuses what `schema_version` refuses. `then` is called in the same transaction, if the
/// schema has changed.
void migrate(
    Database&, const std::vector<Migration>& all, const std::function<void()>& then = [] {});

}  // namespace memory
