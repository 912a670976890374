#include "memory/store/run_query.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

namespace memory {

namespace {

/// Levels are compared as text or as number: 0.00001 is 1e-5.
constexpr const char* at_these_levels =
    " AND NOT EXISTS (SELECT 1 FROM json_each(?7) AS wanted WHERE coalesce(json_extract(doc, '$.factors.\"' || "
    "wanted.key || '\"'), '') <> wanted.value AND NOT (json_type(doc, '$.factors.\"' || wanted.key || '\"') IN "
    "('integer', 'real') AND json_extract(doc, '$.factors.\"' || wanted.key || '\"') = CAST(wanted.value AS REAL)))";

/// One statement, for any state or for one. It contains only the conditions asked for and names the index; SQLite has
/// no statistics of rare values and would scan all runs.
void each_of_state(Database& database, const std::string& study, const RunQuery& query, const std::string& state,
                   const std::function<void(int number, std::string_view document)>& each) {
  std::string sql = "SELECT number, doc FROM runs";
  if (!state.empty()) sql += " INDEXED BY runs_by_state";
  sql += " WHERE study = ?1 AND ";
  if (!query.numbers.empty()) sql += "number IN (SELECT value FROM json_each(?6)) AND +";
  sql += query.newest_first ? "number < ?2" : "number > ?2";
  if (!state.empty()) sql += " AND state = ?4";
  if (!query.experiment.empty()) sql += " AND experiment = ?5";
  if (!query.levels.empty()) sql += at_these_levels;
  // Every statement uses the last parameter, so that all can be bound.
  sql += query.newest_first ? " ORDER BY number DESC LIMIT ?3 OFFSET ?8" : " ORDER BY number LIMIT ?3 OFFSET ?8";
  const int beyond = query.newest_first && query.beyond == 0 ? std::numeric_limits<int>::max() : query.beyond;
  Query q = database.query(sql);
  q.bind(study, beyond, query.most, state, query.experiment, nlohmann::json(query.numbers).dump(),
         nlohmann::json(query.levels).dump(), 0);
  while (q.step()) each(static_cast<int>(q.integer(0)), q.text(1));
}

}  // namespace

void each_run(Database& database, const std::string& study, const RunQuery& query,
              const std::function<void(std::string_view document)>& each) {
  if (query.states.empty())
    return each_of_state(database, study, query, "", [&](int, std::string_view document) { each(document); });
  // A page of each state is enough for a page of their union.
  std::map<int, std::string> found;
  for (const std::string& state : query.states)
    each_of_state(database, study, query, state,
                  [&](int number, std::string_view document) { found.emplace(number, document); });
  int left = query.most;
  const auto show = [&](const auto& one) {
    if (left-- > 0) each(one.second);
  };
  if (query.newest_first)
    std::for_each(found.rbegin(), found.rend(), show);
  else
    std::for_each(found.begin(), found.end(), show);
}

}  // namespace memory
