#include "memory/store/memories.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"

namespace memory {

namespace {

struct Row {
  std::string_view kind, item, verdict, title;
  std::string body;
};

/// The index has no copy of the rows, so it must be told the old and the new text (SQLite's documentation of FTS5,
/// 4.4.3).
void put(Database& database, const std::string& owner, const Row& row) {
  {
    Query old =
        database.query("SELECT rowid, verdict, title, body FROM memories WHERE study = ? AND kind = ? AND item = ?",
                       owner, row.kind, row.item);
    if (old.step()) {
      if (old.text(1) == row.verdict && old.text(2) == row.title && old.text(3) == row.body) return;
      database.run("INSERT INTO memories_fts(memories_fts, rowid, title, body) VALUES ('delete', ?, ?, ?)",
                   old.integer(0), old.text(2), old.text(3));
    }
  }
  database.run(
      "INSERT INTO memories(study, kind, item, verdict, title, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
      "ON CONFLICT(study, kind, item) DO UPDATE SET verdict = ?4, title = ?5, body = ?6",
      owner, row.kind, row.item, row.verdict, row.title, row.body);
  database.run(
      "INSERT INTO memories_fts(rowid, title, body) SELECT rowid, title, body FROM memories "
      "WHERE study = ? AND kind = ? AND item = ?",
      owner, row.kind, row.item);
}

void put(Database& database, const kernel::StudyTerms& study, const Row& row) {
  // A reproduction adds nothing to the memory.
  if (study.reproduces.empty()) put(database, study.id, row);
}

/// A query for any of the words, each quoted so that nothing in it is syntax.
std::string any_of(std::string_view words) {
  constexpr int most = 32;
  const auto is_of_word = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  };
  std::string question;
  int count = 0;
  for (auto at = words.begin(); at != words.end() && count < most; ++count) {
    at = std::find_if(at, words.end(), is_of_word);
    const auto end = std::find_if_not(at, words.end(), is_of_word);
    if (at == end) break;
    question += fmt::format("{}\"{}\"", question.empty() ? "" : " OR ", std::string_view(at, end));
    at = end;
  }
  return question;
}

}  // namespace

void remember_study(Database& database, const kernel::Study& study) {
  put(database, study, {"study", "", "", study.spec.title, study.spec.question});
}

void remember_hypothesis(Database& database, const kernel::Study& study, const kernel::HypothesisRecord& record) {
  std::string body = record.hypothesis.mechanism;
  if (record.result) body += (body.empty() ? "" : "\n") + newest_words(record.result->reason);
  put(database, study,
      {"hypothesis", record.hypothesis.id.text(), record.result ? kernel::name(record.result->verdict) : "",
       record.hypothesis.statement, std::move(body)});
}

void remember_node(Database& database, const kernel::Study& study, const kernel::Node& node) {
  if (node.type == kernel::NodeType::question || node.type == kernel::NodeType::experiment) return;
  std::string body;
  for (const auto& [field, text] : node.fields) body += fmt::format("{}: {}\n", field, text);
  for (const std::string& alternative : node.alternatives) body += fmt::format("left out: {}\n", alternative);
  put(database, study, {kernel::name(node.type), node.id, "", node.title, std::move(body)});
}

void remember_claim(Database& database, const kernel::Study& study, const kernel::Claim& claim) {
  std::string body = claim.statement;
  for (const std::string* more : {&claim.conditions, &claim.falsification})
    if (!more->empty()) body += "\n" + *more;
  put(database, study, {"claim", claim.id, claim.status, claim.title, std::move(body)});
}

void remember_word(Database& database, const kernel::Study& study, std::size_t position) {
  put(database, study, {"word", fmt::format("{:06}", position + 1), "", "", study.steering[position]});
}

void remember_import(Database& database, const kernel::ImportedArtifact& artifact) {
  for (const kernel::ForeignItem& one : artifact.items)
    put(database, artifact.id, {one.kind, one.item, one.verdict, one.title, one.body});
}

void remember_papers(Database& database, const kernel::Study& study) {
  for (const kernel::Paper& paper : study.spec.literature.papers)
    database.run("INSERT OR REPLACE INTO papers(study, path, sha256, text, pages) VALUES (?, ?, ?, ?, ?)", study.id,
                 paper.path, paper.sha256, paper.text, paper.pages);
}

void index_papers(Database& database, const kernel::Study& study,
                  const std::function<std::string(const std::string& sha256)>& fetch) {
  for (const kernel::Paper& paper : study.spec.literature.papers) {
    if (database.query("SELECT 1 FROM pages WHERE text = ?", paper.text).step()) continue;
    std::string text;
    try {
      text = fetch(paper.text);
    } catch (const StoreFault&) {
      continue;  // `etude verify` reports that it is missing.
    }
    int page = 0;
    for (const kernel::Passage& passage : kernel::passages(text)) {
      database.run(
          "INSERT INTO pages(id, text, page, place, body) "
          "VALUES ((SELECT coalesce(min(id), 0) - 1 FROM pages), ?, ?, ?, ?)",
          paper.text, ++page, passage.place, passage.text);
      database.run(
          "INSERT INTO memories_fts(rowid, title, body) SELECT id, '', body FROM pages WHERE text = ? AND page = ?",
          paper.text, page);
    }
  }
}

void forget_all(Database& database) {
  database.run("DELETE FROM memories");
  database.run("DELETE FROM papers");
  database.run("INSERT INTO memories_fts(memories_fts) VALUES ('rebuild')");
}

std::optional<kernel::Paper> paper_of(Database& database, const std::string& sha256) {
  Query q = database.query("SELECT path, text, pages FROM papers WHERE sha256 = ? LIMIT 1", sha256);
  if (!q.step()) return std::nullopt;
  kernel::Paper paper;
  paper.path = q.text(0);
  paper.sha256 = sha256;
  paper.text = q.text(1);
  paper.pages = static_cast<int>(q.integer(2));
  return paper;
}

namespace {

/// Best rows first; a page is returned once per study that has its paper.
constexpr const char* found_by_words =
    "WITH hits AS (SELECT rowid AS id, bm25(memories_fts, 2.0, 1.0) AS score FROM memories_fts "
    "WHERE memories_fts MATCH ?1) SELECT * FROM ("
    "SELECT m.study AS study, m.item AS item, m.kind AS kind, m.verdict, m.title, m.body, hits.id, score FROM hits "
    "JOIN memories m ON m.rowid = hits.id "
    "WHERE (?2 = '' OR m.study = ?2) AND (?3 = '' OR m.kind = ?3) AND (?4 = '' OR m.verdict = ?4) "
    "UNION ALL SELECT a.study, a.path || ' ' || p.place, 'paper', '', '', p.body, hits.id, score FROM hits "
    "JOIN pages p ON p.id = hits.id JOIN papers a ON a.text = p.text "
    "WHERE (?2 = '' OR a.study = ?2) AND (?3 = 'paper' OR (?3 = '' AND ?5)) AND ?4 = '') "
    "ORDER BY score, instr(study, ':'), length(study) DESC, study DESC, kind, item";
/// Newest study first, imports last; of papers the first pages.
constexpr const char* found_without =
    "SELECT * FROM (SELECT m.study AS study, m.item AS item, m.kind AS kind, m.verdict, m.title, m.body, m.rowid "
    "FROM memories m WHERE ?1 = '' AND (?2 = '' OR m.study = ?2) AND (?3 = '' OR m.kind = ?3) AND (?4 = '' OR "
    "m.verdict = ?4) "
    "UNION ALL SELECT a.study, a.path || ' ' || p.place, 'paper', '', '', p.body, p.id FROM papers a "
    "JOIN pages p ON p.text = a.text AND p.page = 1 "
    "WHERE (?2 = '' OR a.study = ?2) AND (?3 = 'paper' OR (?3 = '' AND ?5)) AND ?4 = '') "
    "ORDER BY instr(study, ':'), length(study) DESC, study DESC, kind, item";

void name_artifacts(Database& database, std::vector<kernel::Recollection>& list) {
  for (kernel::Recollection& one : list) {
    if (!one.address.starts_with(kernel::foreign)) continue;
    Query q =
        database.query("SELECT title, source FROM imports WHERE id = ?", one.address.substr(0, one.address.find('/')));
    if (q.step()) one.from = fmt::format("{}{}imported from {}", q.text(0), q.text(0).empty() ? "" : ", ", q.text(1));
  }
}

}  // namespace

std::vector<kernel::Recollection> recall(Database& database, const kernel::RecallQuery& query) {
  const std::string question = any_of(query.words);
  if (question.empty() && !query.words.empty()) return {};
  Query found = database.query(question.empty() ? found_without : found_by_words, question, query.study, query.kind,
                               query.verdict, query.papers);
  std::vector<kernel::Recollection> list;
  std::set<std::int64_t> seen;
  while (static_cast<int>(list.size()) < query.most && found.step()) {
    if (!seen.insert(found.integer(6)).second) continue;
    std::string address(found.text(0));
    // Messages to a study, and studies and artifacts themselves, have no address of their own.
    const std::string_view kind = found.text(2);
    if (kind != "word" && kind != "study" && kind != "artifact") address += "/" + std::string(found.text(1));
    list.push_back({std::move(address), std::string(found.text(2)), std::string(found.text(3)),
                    std::string(found.text(4)), std::string(found.text(5)), ""});
  }
  name_artifacts(database, list);
  return list;
}

}  // namespace memory
