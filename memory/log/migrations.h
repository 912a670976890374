#pragma once
// The store's schema through time: numbered SQL files, applied in order, in one transaction: no reader sees a store
// between two of them. The number of the last one applied is the database's user_version.

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

/// The program's own, in order; numbers count from 1 without holes.
std::vector<Migration> migrations();

/// The last migration applied; 0 for an empty database. Refuses (StoreFault) another program's database and the store
/// of a newer etude; nothing is changed.
int schema_version(Database&, const std::vector<Migration>& all);

/// Brings the store up to date, refusing what `schema_version` refuses.
void migrate(Database&, const std::vector<Migration>& all);

}  // namespace memory
