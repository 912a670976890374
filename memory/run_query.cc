#include "memory/run_query.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace memory {

namespace {

/// A level is a text or a number, and is asked for as a text: 0.00001 is 1e-5.
constexpr const char* at_these_levels =
    " AND NOT EXISTS (SELECT 1 FROM json_each(?7) AS wanted WHERE coalesce(json_extract(doc, '$.factors.\"' || "
    "wanted.key || '\"'), '') <> wanted.value AND NOT (json_type(doc, '$.factors.\"' || wanted.key || '\"') IN "
    "('integer', 'real') AND json_extract(doc, '$.factors.\"' || wanted.key || '\"') = CAST(wanted.value AS REAL)))";

}  // namespace

void each_run(Database& database, const std::string& study, const RunQuery& query,
              const std::function<void(std::string_view document)>& each) {
  // Only what is asked for is in the statement, or no index would serve it.
  std::string sql = "SELECT doc FROM runs WHERE study = ?1 AND number ";
  sql += query.newest_first ? "< ?2" : "> ?2";
  if (!query.states.empty()) sql += " AND state IN (SELECT value FROM json_each(?4))";
  if (!query.experiment.empty()) sql += " AND experiment = ?5";
  if (!query.numbers.empty()) sql += " AND number IN (SELECT value FROM json_each(?6))";
  if (!query.levels.empty()) sql += at_these_levels;
  sql += query.newest_first ? " ORDER BY number DESC LIMIT ?3" : " ORDER BY number LIMIT ?3";
  // The last parameter is in every statement, so that all can be bound.
  sql += " OFFSET ?8 * 0";
  const int beyond = query.newest_first && query.beyond == 0 ? std::numeric_limits<int>::max() : query.beyond;
  Query q = database.query(sql);
  q.bind(study, beyond, query.most, nlohmann::json(query.states).dump(), query.experiment,
         nlohmann::json(query.numbers).dump(), nlohmann::json(query.levels).dump(), 0);
  while (q.step()) each(q.text(0));
}

}  // namespace memory
