#include "memory/store/taggings.h"

#include <exception>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace memory {

using nlohmann::json;

namespace {

std::vector<std::string> tags_in(const std::string& list) {
  return json::parse(list).get<std::vector<std::string>>();
}

StoredTagging tagging_in(const Query& row) {
  StoredTagging tagging;
  tagging.n = row.integer(0);
  tagging.time_ms = row.integer(1);
  tagging.study = row.text(2);
  tagging.added = row.text(3);
  tagging.removed = row.text(4);
  if (!row.is_null(5)) tagging.archived = row.integer(5);
  tagging.prev = row.text(6);
  tagging.hash = row.text(7);
  return tagging;
}

std::set<std::string> tags_of(Database& database, const std::string& study) {
  std::set<std::string> tags;
  for (Query q = database.query("SELECT tag FROM tags WHERE study = ?", study); q.step();) tags.emplace(q.text(0));
  return tags;
}

bool is_archived(Database& database, const std::string& study) {
  return database.query("SELECT 1 FROM archived WHERE study = ?", study).step();
}

/// Without what is so already.
kernel::Tagging effective(Database& database, const std::string& study, const kernel::Tagging& change) {
  const std::set<std::string> had = tags_of(database, study);
  std::set<std::string> added, removed;
  for (const std::string& tag : change.added)
    if (!had.contains(tag)) added.insert(tag);
  for (const std::string& tag : change.removed)
    if (had.contains(tag)) removed.insert(tag);
  kernel::Tagging left{{added.begin(), added.end()}, {removed.begin(), removed.end()}};
  if (change.archived && *change.archived != is_archived(database, study)) left.archived = change.archived;
  return left;
}

}  // namespace

std::string StoredTagging::chain_hash() const {
  std::string bytes = "etude-tagging/1\n";
  for (const std::string* field : {&prev, &study, &added, &removed})
    bytes += fmt::format("{}:{}\n", field->size(), *field);
  return kernel::sha256_hex(bytes + fmt::format("{} {} {}", n, time_ms, archived ? std::to_string(*archived) : "-"));
}

std::optional<kernel::Problem> store_tagging(Database& database, const std::string& study,
                                             const kernel::Tagging& change, std::int64_t time_ms) {
  if (auto problem = kernel::wrong_tagging(change)) return problem;
  if (!database.query("SELECT 1 FROM studies WHERE id = ?", study).step())
    return kernel::Problem{"", 0, "study " + study, "there is no such study", "see `etude ls --all`"};
  const kernel::Tagging now = effective(database, study, change);
  if (now.added.empty() && now.removed.empty() && !now.archived) return std::nullopt;
  if (tags_of(database, study).size() + now.added.size() - now.removed.size() > kernel::most_tags)
    return kernel::Problem{"", 0, "study " + study, fmt::format("would have more than {} tags", kernel::most_tags),
                           "remove some"};
  StoredTagging row{database.integer("SELECT coalesce(max(n), 0) + 1 FROM taggings"),
                    time_ms,
                    study,
                    json(now.added).dump(),
                    json(now.removed).dump(),
                    now.archived,
                    "",
                    ""};
  if (Query last = database.query("SELECT hash FROM taggings ORDER BY n DESC LIMIT 1"); last.step())
    row.prev = last.text(0);
  row.hash = row.chain_hash();
  database.run(
      "INSERT INTO taggings(n, study, time, added, removed, archived, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      row.n, row.study, row.time_ms, row.added, row.removed, row.archived, row.prev, row.hash);
  apply_tagging(database, row);
  return std::nullopt;
}

void each_tagging(Database& database, const std::function<void(const StoredTagging&)>& each) {
  // A backup is also made of an older store.
  if (database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'taggings'") == 0) return;
  for (Query q = database.query("SELECT n, time, study, added, removed, archived, prev, hash FROM taggings ORDER BY n");
       q.step();)
    each(tagging_in(q));
}

void apply_tagging(Database& database, const StoredTagging& row) {
  for (const std::string& tag : tags_in(row.removed))
    database.run("DELETE FROM tags WHERE study = ? AND tag = ?", row.study, tag);
  for (const std::string& tag : tags_in(row.added))
    database.run("INSERT OR REPLACE INTO tags(study, tag) VALUES (?, ?)", row.study, tag);
  if (!row.archived) return;
  database.run(
      *row.archived ? "INSERT OR REPLACE INTO archived(study) VALUES (?)" : "DELETE FROM archived WHERE study = ?",
      row.study);
}

void check_taggings(Database& database, const std::function<void(std::string problem)>& problem) {
  std::string head;
  std::int64_t expected = 1;
  each_tagging(database, [&](const StoredTagging& row) {
    const std::string which = fmt::format("tagging {} of study {}", row.n, row.study);
    if (row.n != expected) problem(fmt::format("{}: expected number {} here; taggings are missing", which, expected));
    if (row.prev != head) problem(which + ": does not continue the chain");
    if (row.chain_hash() != row.hash) problem(which + ": was changed after it was recorded");
    if (!database.query("SELECT 1 FROM events WHERE study = ? LIMIT 1", row.study).step())
      problem(which + ": there is no such study");
    try {
      tags_in(row.added);
      tags_in(row.removed);
    } catch (const std::exception&) {
      problem(which + ": its tags cannot be read");
    }
    expected = row.n + 1;
    head = row.hash;
  });
  const std::int64_t written =
      database.integer("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'taggings'");
  if (written != expected - 1)
    problem(fmt::format("taggings after {}: {} were written, they are gone", expected - 1, written));
}

}  // namespace memory
