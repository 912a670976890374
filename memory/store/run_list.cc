#include "memory/store/run_list.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/assert.h"

namespace memory {

namespace {

/// Levels are compared as text or as number: 0.00001 is 1e-5.
constexpr const char* at_these_levels =
    " AND NOT EXISTS (SELECT 1 FROM json_each(?7) AS wanted WHERE coalesce(json_extract(doc, '$.factors.\"' || "
    "wanted.key || '\"'), '') <> wanted.value AND NOT (coalesce(json_type(doc, '$.factors.\"' || wanted.key || '\"'), "
    "'') IN "
    "('integer', 'real') AND json_extract(doc, '$.factors.\"' || wanted.key || '\"') = CAST(wanted.value AS REAL)))";

constexpr const char* is_open =
    "(purpose NOT IN ('registered', 'aa', 'repeat') OR experiment IN (SELECT value FROM json_each(?9)))";

const char* text_of(MetricCondition::Sign sign) {
  using Sign = MetricCondition::Sign;
  switch (sign) {
    case Sign::less:
      return "<";
    case Sign::at_most:
      return "<=";
    case Sign::equal:
      return "=";
    case Sign::unequal:
      return "<>";
    case Sign::at_least:
      return ">=";
    case Sign::greater:
      return ">";
  }
  return "=";
}

/// The conditions asked for, except that on the states.
std::string conditions_of(const RunQuery& query) {
  std::string sql;
  if (!query.experiment.empty()) sql += " AND experiment = ?5";
  if (!query.levels.empty()) sql += at_these_levels;
  ETUDE_ASSERT(query.measured.size() <= most_metric_conditions);
  if (!query.measured.empty() && query.open) sql += std::string(" AND ") + is_open;
  for (std::size_t i = 0; i < query.measured.size(); ++i)
    sql += fmt::format(
        " AND EXISTS (SELECT 1 FROM metrics WHERE metrics.study = runs.study AND run = number AND name = ?8 ->> "
        "'$[{0}][0]' AND value {1} (?8 ->> '$[{0}][1]'))",
        i, text_of(query.measured[i].sign));
  return sql;
}

/// What the runs are ordered by; null for a run that lacks it.
std::string key_of(const RunQuery& query) {
  switch (query.order) {
    case RunOrder::number:
      return "number";
    case RunOrder::state:
      return "state";
    case RunOrder::seed:
      return "json_extract(doc, '$.seed')";
    case RunOrder::wall:
      return "iif(json_extract(doc, '$.ended') IS NULL, NULL, json_extract(doc, '$.usage.wall_s'))";
    case RunOrder::factor:
      return "json_extract(doc, '$.factors.\"' || ?10 || '\"')";
    case RunOrder::metric:
      return std::string("iif(") + (query.open ? is_open : "1") +
             ", (SELECT value FROM metrics WHERE metrics.study = runs.study AND run = number AND name = ?10), NULL)";
  }
  return "number";
}

std::string names_of(const std::optional<std::set<std::string>>& open) {
  return nlohmann::json(open.value_or(std::set<std::string>())).dump();
}

/// The statement with the values of the query. Every statement uses the last parameter, so that all can be bound.
Query statement(Database& database, const std::string& sql, const std::string& study, const RunQuery& query, int beyond,
                const std::string& states) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  nlohmann::json measured = nlohmann::json::array();
  for (const MetricCondition& condition : query.measured) measured.push_back({condition.metric, condition.value});
  return database.query(sql, study, beyond, query.most, states, query.experiment.text(),
                        nlohmann::json(query.numbers).dump(),
                        nlohmann::json(query.levels).dump(-1, ' ', false, replace),
                        measured.dump(-1, ' ', false, replace), names_of(query.open), query.order_name, query.before);
}

/// One statement, for any state or for one. It contains only the conditions asked for and names the index; SQLite has
/// no statistics of rare values and would scan all runs.
void each_of_state(Database& database, const std::string& study, const RunQuery& query, const std::string& state,
                   const std::function<void(int number, std::string_view document)>& each) {
  std::string sql = "SELECT number, doc FROM runs";
  if (!state.empty()) sql += " INDEXED BY runs_by_state";
  sql += " WHERE study = ?1 AND ";
  if (!query.numbers.empty()) sql += "number IN (SELECT value FROM json_each(?6)) AND +";
  sql += query.descending ? "number < ?2" : "number > ?2";
  if (!state.empty()) sql += " AND state = ?4";
  sql += conditions_of(query);
  sql += query.descending ? " ORDER BY number DESC LIMIT ?3 OFFSET ?11" : " ORDER BY number LIMIT ?3 OFFSET ?11";
  const int beyond = query.descending && query.beyond == 0 ? std::numeric_limits<int>::max() : query.beyond;
  for (Query q = statement(database, sql, study, query, beyond, state); q.step();)
    each(static_cast<int>(q.integer(0)), q.text(1));
}

/// What the query finds, on all pages.
std::string found_by(const RunQuery& query, const char* index = "") {
  std::string sql = std::string(" FROM runs") + index + " WHERE study = ?1";
  if (!query.numbers.empty()) sql += " AND number IN (SELECT value FROM json_each(?6))";
  if (!query.states.empty()) sql += " AND state IN (SELECT value FROM json_each(?4))";
  return sql + conditions_of(query);
}

/// Sorts numbers and values only, because documents are long.
void each_in_order(Database& database, const std::string& study, const RunQuery& query,
                   const std::function<void(std::string_view document)>& each) {
  std::string sql = "SELECT number, " + key_of(query) + " AS sorted" + found_by(query);
  sql += query.descending ? " ORDER BY sorted DESC NULLS LAST" : " ORDER BY sorted NULLS LAST";
  sql += ", number LIMIT ?3 OFFSET ?11";
  std::vector<std::int64_t> page;
  for (Query q = statement(database, sql, study, query, 0, nlohmann::json(query.states).dump()); q.step();)
    page.push_back(q.integer(0));
  for (const std::int64_t number : page)
    for (Query q = database.query("SELECT doc FROM runs WHERE study = ? AND number = ?", study, number); q.step();)
      each(q.text(0));
}

}  // namespace

void list_runs(Database& database, const std::string& study, const RunQuery& query,
               const std::function<void(std::string_view document)>& each) {
  if (query.order != RunOrder::number) return each_in_order(database, study, query, each);
  ETUDE_ASSERT(query.before == 0);
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
  if (query.descending)
    std::for_each(found.rbegin(), found.rend(), show);
  else
    std::for_each(found.begin(), found.end(), show);
}

int count_runs(Database& database, const std::string& study, const RunQuery& query) {
  // If no document is needed, the index has all.
  const bool plain = query.experiment.empty() && query.levels.empty() && query.measured.empty();
  const std::string sql =
      "SELECT count(*)" + found_by(query, plain ? " INDEXED BY runs_by_state" : "") + " AND ?11 = ?11";
  Query q = statement(database, sql, study, query, 0, nlohmann::json(query.states).dump());
  return q.step() ? static_cast<int>(q.integer(0)) : 0;
}

void values_by_cell(Database& database, const std::string& study, const RunQuery& query,
                    const std::function<void(std::string_view factors, double value)>& each) {
  ETUDE_ASSERT(query.order == RunOrder::metric);
  std::string sql =
      "SELECT json_extract(doc, '$.factors') AS levels, value FROM runs JOIN metrics ON metrics.study = runs.study AND "
      "run = number WHERE runs.study = ?1 AND name = ?10 AND value IS NOT NULL AND state = 'succeeded' AND "
      "json_extract(doc, '$.evidence')";
  if (query.open) sql += std::string(" AND ") + is_open;
  sql += " AND ?11 = ?11 ORDER BY levels";
  for (Query q = statement(database, sql, study, query, 0, ""); q.step();) each(q.text(0), q.real(1));
}

std::optional<UnknownName> unknown_name(Database& database, const std::string& study, const RunQuery& query) {
  std::set<std::string> factors, metrics;
  for (const auto& [factor, level] : query.levels) factors.insert(factor);
  for (const MetricCondition& condition : query.measured) metrics.insert(condition.metric);
  if (query.order == RunOrder::factor) factors.insert(query.order_name);
  if (query.order == RunOrder::metric) metrics.insert(query.order_name);
  const auto is_known = [&](const char* sql, const std::string& name) {
    Query found = database.query(sql, study, name);
    return found.step();
  };
  const auto all = [&](const char* sql) {
    std::vector<std::string> names;
    for (Query found = database.query(sql, study); found.step();) names.emplace_back(found.text(0));
    return names;
  };
  for (const std::string& name : factors)
    if (!is_known("SELECT 1 FROM runs, json_each(doc, '$.factors') WHERE study = ? AND key = ? LIMIT 1", name))
      if (auto known = all("SELECT DISTINCT key FROM runs, json_each(doc, '$.factors') WHERE study = ? ORDER BY key");
          !known.empty())
        return UnknownName{name, false, std::move(known)};
  for (const std::string& name : metrics)
    if (!is_known("SELECT 1 FROM metrics WHERE study = ? AND name = ? LIMIT 1", name))
      if (auto known = all("SELECT DISTINCT name FROM metrics WHERE study = ? ORDER BY name"); !known.empty())
        return UnknownName{name, true, std::move(known)};
  return std::nullopt;
}

}  // namespace memory
