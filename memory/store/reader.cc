#include "memory/store/reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "kernel/views/json_parts.h"
#include "memory/log/event_log.h"
#include "memory/log/state_snapshots.h"
#include "memory/store/imports.h"
#include "memory/store/memories.h"
#include "memory/store/read_models.h"

namespace memory {

namespace {

/// The conditions that are asked for. Every statement uses the four parameters, so that all can be bound.
std::string conditions_of(const StudyQuery& query) {
  std::string sql = " FROM listed WHERE ?1 IS NOT NULL AND ?2 IS NOT NULL AND ?3 IS NOT NULL AND ?4 IS NOT NULL";
  ETUDE_ASSERT(query.words.size() <= most_query_words && query.tags.size() <= most_query_words);
  for (std::size_t i = 0; i < query.words.size(); ++i) sql += fmt::format(" AND instr(words, ?1 ->> {}) > 0", i);
  for (std::size_t i = 0; i < query.tags.size(); ++i)
    sql += fmt::format(" AND study IN (SELECT study FROM tags WHERE tag = ?4 ->> {})", i);
  if (query.archived) sql += fmt::format(" AND study {}IN (SELECT study FROM archived)", *query.archived ? "" : "NOT ");
  if (!query.states.empty())
    sql +=
        " AND (state IN (SELECT value FROM json_each(?2)) OR outcome IN (SELECT value FROM json_each(?2)) OR (waits "
        "AND 'waiting' IN (SELECT value FROM json_each(?2))))";
  if (!query.verdicts.empty())
    sql += " AND study IN (SELECT study FROM hypotheses WHERE verdict IN (SELECT value FROM json_each(?3)))";
  return sql;
}

/// The rest of a statement that selects studies: their documents, or short ones, with the columns of `tagged`.
std::string tagged_columns(const char* document) {
  return std::string("SELECT ") + document +
         ", (SELECT json_group_array(tag) FROM (SELECT tag FROM tags WHERE study = studies.id ORDER BY tag)), "
         "EXISTS (SELECT 1 FROM archived WHERE study = studies.id) FROM studies WHERE id = ?";
}

/// The document with the study's tags, which are not among its events.
std::string tagged(const Query& row) {
  std::string document(row.text(0));
  document.pop_back();
  return document + ",\"tags\":" + std::string(row.text(1)) + ",\"archived\":" + (row.integer(2) ? "true}" : "false}");
}

std::string order_of(const StudyQuery& query) {
  const std::string way = query.descending ? " DESC" : "";
  switch (query.order) {
    case StudyOrder::opened:
      return "n" + way;
    case StudyOrder::title:
      return "title COLLATE NOCASE" + way + ", n" + way;
    case StudyOrder::runs:
      return "runs" + way + ", n" + way;
    case StudyOrder::usd:
      return "usd" + way + ", n" + way;
    case StudyOrder::wall:
      return "wall_s" + way + ", n" + way;
  }
  return "n";
}

}  // namespace

Reader::Reader(const std::string& home) : connection_(home) {}

template <typename Each, typename... Values>
void Reader::rows(const Each& each, const std::string& sql, const Values&... values) const {
  if (!connection_.database()) return;
  for (Query q = connection_.database()->query(sql, values...); q.step();) each(q);
}

template <typename... Values>
void Reader::documents(const EachDocument& each, const std::string& sql, const Values&... values) const {
  rows([&](const Query& q) { each(q.text(0)); }, sql, values...);
}

std::vector<std::string> Reader::ids() const {
  std::vector<std::string> all;
  rows([&](const Query& q) { all.emplace_back(q.text(0)); }, "SELECT study FROM listed ORDER BY n");
  return all;
}

void Reader::studies(const EachDocument& each) const {
  documents(each, "SELECT doc FROM studies ORDER BY n");
}

int Reader::studies(const StudyQuery& query, const EachDocument& each) const {
  const std::string words =
      small_letters(nlohmann::json(query.words).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  const std::string states = nlohmann::json(query.states).dump(), verdicts = nlohmann::json(query.verdicts).dump();
  const std::string tags = nlohmann::json(query.tags).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string which = conditions_of(query);
  int all = 0;
  rows([&](const Query& q) { all = static_cast<int>(q.integer(0)); }, "SELECT count(*)" + which, words, states,
       verdicts, tags);
  std::vector<std::string> page;
  rows([&](const Query& q) { page.emplace_back(q.text(0)); },
       "SELECT study" + which + " ORDER BY " + order_of(query) + " LIMIT ?5 OFFSET ?6", words, states, verdicts, tags,
       query.most, query.before);
  for (const std::string& id : page) rows([&](const Query& q) { each(tagged(q)); }, tagged_columns("brief"), id);
  return all;
}

std::optional<std::string> Reader::study(const std::string& id) const {
  std::optional<std::string> found;
  rows([&](const Query& q) { found = tagged(q); }, tagged_columns("doc"), id);
  return found;
}

std::optional<std::string> Reader::opened_by(const std::string& token) const {
  std::optional<std::string> found;
  const std::string quoted = nlohmann::json(token).dump();
  // Most payloads are not parsed. Behind the token stands nothing, or a newline and more. The events of a fork repeat
  // the request.
  rows([&](const Query& q) { found = q.text(0); },
       "SELECT study FROM events INDEXED BY events_opening WHERE type = 'StudyOpened' AND instr(payload, ?2) > 0 AND "
       "json_valid(payload) AND payload ->> '$.request' >= ?1 AND payload ->> '$.request' < ?1 || char(11) "
       "ORDER BY seq LIMIT 1",
       token, quoted.substr(0, quoted.size() - 1));
  return found;
}

std::vector<UsedTag> Reader::tags() const {
  std::vector<UsedTag> all;
  rows(
      [&](const Query& q) {
        all.push_back({std::string(q.text(0)), static_cast<int>(q.integer(1))});
      },
      "SELECT tag, count(*) FROM tags GROUP BY tag ORDER BY tag");
  return all;
}

void Reader::runs(const std::string& study, const EachDocument& each) const {
  documents(each, "SELECT doc FROM runs WHERE study = ? ORDER BY number", study);
}

void Reader::runs(const std::string& study, const RunQuery& query, const EachDocument& each) const {
  if (connection_.database()) list_runs(*connection_.database(), study, query, each);
}

int Reader::run_count(const std::string& study, const RunQuery& query) const {
  return connection_.database() ? count_runs(*connection_.database(), study, query) : 0;
}

void Reader::values_by_cell(const std::string& study, const RunQuery& query,
                            const std::function<void(std::string_view factors, double value)>& each) const {
  if (connection_.database()) memory::values_by_cell(*connection_.database(), study, query, each);
}

std::optional<UnknownName> Reader::unknown_name(const std::string& study, const RunQuery& query) const {
  return connection_.database() ? memory::unknown_name(*connection_.database(), study, query) : std::nullopt;
}

std::map<kernel::ExperimentId, int> Reader::pending(const std::string& study) const {
  std::map<kernel::ExperimentId, int> counts;
  rows([&](const Query& q) { counts[kernel::ExperimentId(std::string(q.text(0)))] = static_cast<int>(q.integer(1)); },
       "SELECT experiment, count(*) FROM runs WHERE study = ? AND state IN ('queued', 'starting', 'running') "
       "AND purpose IN ('registered', 'aa', 'repeat') GROUP BY experiment",
       study);
  return counts;
}

std::optional<std::string> Reader::run(const std::string& run_id) const {
  std::optional<std::string> found;
  documents([&](std::string_view document) { found = document; }, "SELECT doc FROM runs WHERE study = ? AND number = ?",
            kernel::run_study(run_id), kernel::run_number(run_id));
  return found;
}

std::vector<kernel::OutputFile> Reader::outputs(const std::string& study, int run) const {
  std::vector<kernel::OutputFile> files;
  rows(
      [&](const Query& q) {
        files =
            std::get<kernel::RunEnded>(kernel::decode(q.text(0), static_cast<int>(q.integer(1)), q.text(2))).outputs;
      },
      "SELECT type, v, payload FROM events WHERE study = ?1 AND type = 'RunEnded' AND payload ->> '$.run' = ?2 "
      "ORDER BY seq DESC LIMIT 1",
      study, run);
  return files;
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
  rows([&](const Query& q) { each(std::string(q.text(0)), q.text(1), q.text(2)); },
       "SELECT study, context, hypotheses.doc FROM (SELECT hypotheses.rowid AS row, n, position FROM hypotheses "
       "JOIN studies ON studies.id = study WHERE hypotheses.rowid IN ("
       "SELECT hypotheses.rowid FROM hypotheses JOIN studies ON studies.id = study WHERE kin = ?1 OR (?2 <> '' AND "
       "substr(json_extract(studies.doc, '$.study_file'), 1, length(?2)) = ?2 AND "
       "instr(substr(json_extract(studies.doc, '$.study_file'), length(?2) + 1), '/') = 0) "
       "UNION SELECT rowid FROM hypotheses WHERE contrast IN (SELECT value FROM json_each(?3)) "
       "UNION SELECT rowid FROM hypotheses WHERE json_extract(doc, '$.by_runs') IN (SELECT value FROM json_each(?3))) "
       "AND verdict IS NOT NULL AND kin <> '' ORDER BY n DESC, position DESC LIMIT ?4) AS newest "
       "JOIN hypotheses ON hypotheses.rowid = newest.row ORDER BY n, newest.position",
       kin, folder.empty() || folder.ends_with('/') ? folder : folder + "/", nlohmann::json(contrasts).dump(), most);
}

std::vector<kernel::RoleForecast> Reader::forecasts() const {
  std::vector<kernel::RoleForecast> list;
  rows(
      [&](const Query& q) {
        list.push_back({std::string(q.text(0)), q.real(1), q.text(2) == "supported"});
      },
      "SELECT json_extract(hypotheses.doc, '$.by'), json_extract(hypotheses.doc, '$.confidence'), verdict "
      "FROM hypotheses JOIN studies ON studies.id = study WHERE verdict IN ('supported', 'refuted', "
      "'no_relevant_effect') AND kin <> '' AND "
      "json_extract(hypotheses.doc, '$.confidence') IS NOT NULL AND json_extract(studies.doc, '$.forked_from') IS NULL "
      "ORDER BY n, position");
  return list;
}

std::vector<std::string> Reader::models_used() const {
  std::vector<std::string> list;
  rows(
      [&](const Query& q) { list.emplace_back(q.text(0)); },
      "SELECT json_extract(doc, '$.ledger.models') FROM studies WHERE json_extract(doc, '$.ledger.models') IS NOT NULL "
      "AND json_extract(doc, '$.forked_from') IS NULL ORDER BY n");
  return list;
}

std::vector<kernel::EarlierLooks> Reader::looks_at(const std::string& test_data) const {
  std::vector<kernel::EarlierLooks> list;
  if (test_data.empty()) return list;
  rows(
      [&](const Query& q) {
        list.push_back({std::string(q.text(0)), static_cast<int>(q.integer(1))});
      },
      "SELECT id, test_looks FROM studies WHERE test_data = ? AND test_looks > 0 ORDER BY n", test_data);
  return list;
}

template <typename... Values>
std::vector<TimedRun> Reader::timed_runs(const std::string& which, const Values&... values) const {
  std::vector<TimedRun> list;
  // julianday counts whole milliseconds, of which a double keeps all digits.
  const auto milliseconds = [](const std::string& member) {
    return "coalesce(CAST(round((julianday(json_extract(runs.doc, '$." + member +
           "')) - 2440587.5) * 86400000.0) AS INTEGER), 0)";
  };
  rows(
      [&](const Query& q) {
        TimedRun run;
        run.time.study = q.text(0);
        run.workspace = q.text(1);
        run.time.jobs = static_cast<int>(q.integer(2));
        run.purpose = q.text(3);
        run.experiment = q.text(4);
        run.time.part = run.purpose + " " + run.experiment + std::string(q.text(5));
        run.time.stage = q.text(6);
        run.time.cell = kernel::shown_cell(nlohmann::json::parse(q.text(7)));
        run.time.started_ms = q.integer(8);
        run.time.ended_ms = q.integer(9);
        run.time.gpus = static_cast<int>(q.integer(10));
        if (q.real(11) > 0) run.time.joules = q.real(11);
        run.state = q.text(12);
        run.peak_bytes = q.integer(13);
        run.gpu_peak_bytes = q.integer(14);
        list.push_back(std::move(run));
      },
      "SELECT runs.study, coalesce((SELECT json_extract(payload, '$.workspace.hash') FROM events WHERE events.study = "
      "runs.study AND type = 'StudyOpened' LIMIT 1), ''), json_extract(studies.doc, '$.jobs'), purpose, experiment, "
      "iif(purpose = 'search', coalesce(json_extract(runs.doc, '$.label'), ''), ''), "
      "coalesce(json_extract(runs.doc, '$.stage'), ''), json_extract(runs.doc, '$.factors'), " +
          milliseconds("started") + ", " + milliseconds("ended") +
          ", json_array_length(runs.doc, '$.lease.gpus'), coalesce(json_extract(runs.doc, '$.usage.energy.joules'), "
          "0), runs.state, coalesce(json_extract(runs.doc, '$.usage.rss_peak_bytes'), 0), "
          "coalesce(json_extract(runs.doc, '$.usage.gpu.memory_peak_bytes'), 0) FROM runs JOIN studies ON studies.id = "
          "runs.study WHERE purpose IN ('registered', 'smoke', "
          "'pilot', 'aa', 'search', 'repeat') AND json_extract(runs.doc, '$.cached_from') IS NULL AND " +
          which,
      values...);
  return list;
}

std::vector<TimedRun> Reader::run_times(const std::string& commands, int most) const {
  return timed_runs(
      "runs.study IN (SELECT DISTINCT study FROM hypotheses WHERE kin = ?1) AND runs.state = 'succeeded' ORDER BY n "
      "DESC, number LIMIT ?2",
      commands, most);
}

std::vector<TimedRun> Reader::run_times_of(const std::string& study) const {
  return timed_runs("runs.study = ?1 ORDER BY number", study);
}

std::vector<kernel::Recollection> Reader::recall(const kernel::RecallQuery& query) const {
  return connection_.database() ? memory::recall(*connection_.database(), query) : std::vector<kernel::Recollection>();
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
  return connection_.database() ? paper_of(*connection_.database(), sha256) : std::nullopt;
}

void Reader::events(const std::string& study, std::int64_t after,
                    const std::function<void(const StoredEvent&)>& each) const {
  if (connection_.database()) each_event(*connection_.database(), study, after, each);
}

std::vector<StoredEvent> Reader::events_after(std::int64_t after, std::size_t most, const std::string& study) const {
  if (!connection_.database()) return {};
  return memory::events_after(*connection_.database(), after, most, study);
}

std::vector<StoredEvent> Reader::moments(const std::string& study, std::int64_t after, std::size_t most,
                                         const std::string& type) const {
  if (!connection_.database()) return {};
  return memory::moments(*connection_.database(), study, after, most, type);
}

int Reader::moment_count(const std::string& study) const {
  return connection_.database() ? memory::moment_count(*connection_.database(), study) : 0;
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
  rows([&](const Query& q) { numbers.insert(static_cast<int>(q.integer(0))); },
       "SELECT number FROM runs WHERE study = ? AND experiment = ''", study);
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
  rows([&](const Query&) { StateSnapshots(1).load(*connection_.database(), study, state); },
       "SELECT 1 FROM studies WHERE id = ? AND state <> 'ended'", study);
  return state;
}

std::string Reader::array(const std::string& sql, const std::string& study) const {
  std::string all = "[";
  documents(
      [&](std::string_view document) {
        if (all.size() > 1) all += ',';
        all += document;
      },
      sql, study);
  return all += ']';
}

}  // namespace memory
