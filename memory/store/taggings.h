#pragma once
// The tags of studies, in an append-only table of their own, because they belong to no study's chain. The tags that a
// study has now are read models, which are rebuilt from here. Callers hold the transaction.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernel/domain/tagging.h"
#include "memory/log/database.h"

namespace memory {

/// Stores a change of the study's tags; stores nothing if it changes nothing. A problem if there is no such study, a
/// tag is not allowed, or the study would have too many.
std::optional<kernel::Problem> store_tagging(Database&, const std::string& study, const kernel::Tagging&,
                                             std::int64_t time_ms);

struct StoredTagging {
  std::int64_t n = 0, time_ms = 0;
  std::string study, added, removed;  ///< The last two are JSON lists.
  std::optional<std::int64_t> archived;
  std::string prev, hash;

  /// Hash over all other members.
  std::string chain_hash() const;
};
/// Oldest first.
void each_tagging(Database&, const std::function<void(const StoredTagging&)>&);
/// Writes what follows from the change into the read models. Throws if its lists cannot be read.
void apply_tagging(Database&, const StoredTagging&);
/// Reports what is wrong with the table: rows that are missing, changed, unreadable, or of studies that do not exist.
void check_taggings(Database&, const std::function<void(std::string problem)>&);

}  // namespace memory
