#include "memory/store/reader.h"

#include <nlohmann/json.hpp>

#include "kernel/codec/codec.h"
#include "memory/log/event_log.h"
#include "memory/log/state_snapshots.h"
#include "memory/store/imports.h"
#include "memory/store/memories.h"

namespace memory {

Reader::Reader(const std::string& home) : connection_(home) {}

std::vector<std::string> Reader::ids() const {
  std::vector<std::string> all;
  if (!connection_.database()) return all;
  for (Query q = connection_.database()->query("SELECT id FROM studies ORDER BY n"); q.step();)
    all.emplace_back(q.text(0));
  return all;
}

void Reader::studies(const EachDocument& each) const {
  if (!connection_.database()) return;
  for (Query q = connection_.database()->query("SELECT doc FROM studies ORDER BY n"); q.step();) each(q.text(0));
}

void Reader::studies_after(int before, int most, bool newest_first, const EachDocument& each) const {
  if (!connection_.database()) return;
  Query q = connection_.database()->query(
      std::string("SELECT json_remove(doc, '$.hypotheses', '$.integrity', '$.metrics') FROM studies ORDER BY n ") +
      (newest_first ? "DESC" : "") + " LIMIT ?2 OFFSET ?1");
  q.bind(before, most);
  while (q.step()) each(q.text(0));
}

std::optional<std::string> Reader::study(const std::string& id) const {
  std::optional<std::string> found;
  documents("SELECT doc FROM studies WHERE id = ?", id, [&](std::string_view document) { found = document; });
  return found;
}

void Reader::runs(const std::string& study, const EachDocument& each) const {
  documents("SELECT doc FROM runs WHERE study = ? ORDER BY number", study, each);
}

void Reader::runs(const std::string& study, const RunQuery& query, const EachDocument& each) const {
  if (connection_.database()) each_run(*connection_.database(), study, query, each);
}

std::map<std::string, int> Reader::pending(const std::string& study) const {
  std::map<std::string, int> counts;
  if (!connection_.database()) return counts;
  Query q = connection_.database()->query(
      "SELECT experiment, count(*) FROM runs WHERE study = ? AND state IN ('queued', 'starting', 'running') AND "
      "purpose "
      "IN ('registered', 'aa') GROUP BY experiment");
  q.bind(study);
  while (q.step()) counts[std::string(q.text(0))] = static_cast<int>(q.integer(1));
  return counts;
}

std::optional<std::string> Reader::run(const std::string& run_id) const {
  if (!connection_.database()) return std::nullopt;
  Query q = connection_.database()->query("SELECT doc FROM runs WHERE study = ? AND number = ?");
  q.bind(kernel::run_study(run_id), kernel::run_number(run_id));
  return q.step() ? std::optional(std::string(q.text(0))) : std::nullopt;
}

std::string Reader::graph(const std::string& study) const {
  return "{\"nodes\":" + array("SELECT doc FROM nodes WHERE study = ? ORDER BY position", study) + "}";
}

std::string Reader::hypotheses(const std::string& study) const {
  return array("SELECT doc FROM hypotheses WHERE study = ? ORDER BY position", study);
}

std::string Reader::claims(const std::string& study) const {
  return array("SELECT doc FROM claims WHERE study = ? ORDER BY position", study);
}

void Reader::judged_in(const std::string& kin, const std::string& folder, const std::vector<std::string>& contrasts,
                       int most,
                       const std::function<void(const std::string&, std::string_view, std::string_view)>& each) const {
  if (!connection_.database()) return;
  Query q = connection_.database()->query(
      "SELECT study, context, hypotheses.doc FROM (SELECT hypotheses.rowid AS row, n, position FROM hypotheses "
      "JOIN studies ON studies.id = study WHERE hypotheses.rowid IN ("
      "SELECT hypotheses.rowid FROM hypotheses JOIN studies ON studies.id = study WHERE kin = ?1 OR (?2 <> '' AND "
      "substr(json_extract(studies.doc, '$.study_file'), 1, length(?2)) = ?2 AND "
      "instr(substr(json_extract(studies.doc, '$.study_file'), length(?2) + 1), '/') = 0) "
      "UNION SELECT rowid FROM hypotheses WHERE contrast IN (SELECT value FROM json_each(?3))) "
      "AND verdict IS NOT NULL AND kin <> '' ORDER BY n DESC, position DESC LIMIT ?4) AS newest "
      "JOIN hypotheses ON hypotheses.rowid = newest.row ORDER BY n, newest.position");
  q.bind(kin, folder.empty() || folder.ends_with('/') ? folder : folder + "/", nlohmann::json(contrasts).dump(), most);
  while (q.step()) each(std::string(q.text(0)), q.text(1), q.text(2));
}

std::vector<kernel::RoleForecast> Reader::forecasts() const {
  std::vector<kernel::RoleForecast> list;
  if (!connection_.database()) return list;
  Query q = connection_.database()->query(
      "SELECT json_extract(hypotheses.doc, '$.by'), json_extract(hypotheses.doc, '$.confidence'), verdict FROM "
      "hypotheses "
      "JOIN studies ON studies.id = study WHERE verdict IN ('supported', 'refuted') AND kin <> '' AND "
      "json_extract(hypotheses.doc, '$.confidence') IS NOT NULL AND json_extract(studies.doc, '$.forked_from') IS NULL "
      "ORDER BY n, position");
  while (q.step()) list.push_back({std::string(q.text(0)), q.real(1), q.text(2) == "supported"});
  return list;
}

std::vector<kernel::EarlierLooks> Reader::looks_at(const std::string& test_data) const {
  std::vector<kernel::EarlierLooks> list;
  if (!connection_.database() || test_data.empty()) return list;
  Query q = connection_.database()->query(
      "SELECT id, test_looks FROM studies WHERE test_data = ? AND test_looks > 0 ORDER BY n");
  q.bind(test_data);
  while (q.step()) list.push_back({std::string(q.text(0)), static_cast<int>(q.integer(1))});
  return list;
}

std::vector<kernel::Recollection> Reader::recall(const kernel::RecallQuery& query) const {
  if (!connection_.database()) return {};
  return memory::recall(*connection_.database(), query);
}

std::vector<kernel::ImportedArtifact> Reader::imports() const {
  std::vector<kernel::ImportedArtifact> all;
  if (connection_.database())
    each_import(*connection_.database(),
                [&](const StoredImport& row) { all.push_back(kernel::read_import(row.record)); });
  return all;
}

std::optional<kernel::ImportedArtifact> Reader::import(const std::string& id) const {
  const auto row = connection_.database() ? import_of(*connection_.database(), id) : std::nullopt;
  return row ? std::optional(kernel::read_import(row->record)) : std::nullopt;
}

std::string Reader::import_with(const std::string& files) const {
  return connection_.database() ? memory::import_with(*connection_.database(), files) : std::string();
}

std::optional<kernel::Paper> Reader::paper(const std::string& sha256) const {
  if (!connection_.database()) return std::nullopt;
  return paper_of(*connection_.database(), sha256);
}

void Reader::events(const std::string& study, std::int64_t after,
                    const std::function<void(const StoredEvent&)>& each) const {
  if (connection_.database()) each_event(*connection_.database(), study, after, each);
}

std::vector<StoredEvent> Reader::events_after(std::int64_t after, std::size_t most, const std::string& study) const {
  std::vector<StoredEvent> events;
  if (connection_.database()) events = memory::events_after(*connection_.database(), after, most, study);
  return events;
}

std::vector<StoredEvent> Reader::moments(const std::string& study, std::int64_t after, std::size_t most,
                                         const std::string& type) const {
  std::vector<StoredEvent> events;
  if (connection_.database()) events = memory::moments(*connection_.database(), study, after, most, type);
  return events;
}

std::int64_t Reader::fold(const std::string& study, std::int64_t after, std::int64_t until, kernel::State& state,
                          kernel::Chain& chain) const {
  std::int64_t last = after;
  if (!connection_.database()) return last;
  StoredEvent before;
  constexpr std::size_t at_once = 1000;
  for (bool over = false; !over;) {
    const std::vector<StoredEvent> events = memory::events_after(*connection_.database(), last, at_once, study);
    over = events.size() < at_once;
    for (const StoredEvent& event : events) {
      // Events of one decision share one time; half a decision is no state that a study ever had.
      if (event.seq > until && (event.time != before.time || event.boot != before.boot)) return last;
      refuse_broken(chain, event);
      kernel::apply(state, event.decoded());
      last = event.seq;
      before = event;
    }
  }
  return last;
}

std::int64_t Reader::last_event() const {
  return connection_.database() ? connection_.database()->integer("SELECT coalesce(max(seq), 0) FROM events") : 0;
}

std::set<int> Reader::scratch_runs(const std::string& study) const {
  std::set<int> numbers;
  if (!connection_.database()) return numbers;
  Query q = connection_.database()->query("SELECT number FROM runs WHERE study = ? AND experiment = ''");
  q.bind(study);
  while (q.step()) numbers.insert(static_cast<int>(q.integer(0)));
  return numbers;
}

std::string Reader::head(const std::string& study) const {
  return connection_.database() ? head_of(*connection_.database(), study) : std::string();
}

kernel::State Reader::load(const std::string& study) const {
  kernel::State state;
  if (connection_.database()) fold_study(*connection_.database(), study, state);
  return state;
}

kernel::State Reader::load_active(const std::string& study) const {
  kernel::State state;
  if (!connection_.database()) return state;
  Query q = connection_.database()->query("SELECT 1 FROM studies WHERE id = ? AND state <> 'ended'");
  q.bind(study);
  if (q.step()) StateSnapshots(1).load(*connection_.database(), study, state);
  return state;
}

void Reader::documents(const std::string& sql, const std::string& study, const EachDocument& each) const {
  if (!connection_.database()) return;
  Query q = connection_.database()->query(sql);
  q.bind(study);
  while (q.step()) each(q.text(0));
}

std::string Reader::array(const std::string& sql, const std::string& study) const {
  std::string all = "[";
  documents(sql, study, [&](std::string_view document) {
    if (all.size() > 1) all += ',';
    all += document;
  });
  return all += ']';
}

}  // namespace memory
