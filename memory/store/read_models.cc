#include "memory/store/read_models.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"
#include "kernel/domain/enum_names.h"
#include "kernel/domain/event_references.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/runs/run_keys.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/views/shapes.h"
#include "memory/log/event_log.h"
#include "memory/store/imports.h"
#include "memory/store/memories.h"
#include "memory/store/taggings.h"

namespace memory {

using nlohmann::json;

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

namespace {

std::string document(const json& shape) {
  return shape.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Removes the long lists of a study's document, and adds the number of hypotheses with each verdict.
void shorten(json& shape) {
  json verdicts = json::object();
  for (const json& hypothesis : shape.at("hypotheses")) {
    const json& verdict = hypothesis.at("verdict");
    const std::string counted = !hypothesis.value("withdrawn", json()).is_null()  ? "withdrawn"
                                : hypothesis.value("status", "") == "exploratory" ? "exploratory"
                                : verdict.is_null()                               ? "open"
                                                                                  : verdict.get<std::string>();
    verdicts[counted] = verdicts.value(counted, 0) + 1;
  }
  for (const char* list : {"hypotheses", "integrity", "metrics"}) shape.erase(list);
  shape["verdicts"] = std::move(verdicts);
}

/// The rows that a list of events changes.
struct Touched : kernel::EventReferences {
  std::set<int> runs;
  std::set<kernel::HypothesisId> hypotheses;
  bool all_hypotheses = false;
  bool opened = false, amended = false;
  std::size_t nodes = 0, claims = 0, words = 0;  ///< Counted from the end, since rows are only ever added.

  void run(int number) override { runs.insert(number); }
  void hypothesis(const kernel::HypothesisId& id) override { hypotheses.insert(id); }
  void every_hypothesis() override { all_hypotheses = true; }

  void add(const kernel::EventBody& body) {
    kernel::each_reference(body, *this);
    nodes += std::holds_alternative<kernel::NodeRecorded>(body);
    claims += std::holds_alternative<kernel::ClaimRecorded>(body);
    words += std::holds_alternative<kernel::StudySteered>(body);
    opened = opened || std::holds_alternative<kernel::StudyOpened>(body);
    amended = amended || std::holds_alternative<kernel::WorkspaceAmended>(body);
    // Hypotheses without a result are then unfinished.
    all_hypotheses = all_hypotheses || std::holds_alternative<kernel::StudyConcluded>(body);
  }
};

class Writer {
 public:
  Writer(Database& database, const kernel::Study& study) : database_(database), study_(study) {}

  void study(const std::string& head) {
    json shape = kernel::study_shape(study_, head);
    const std::string whole = document(shape);
    shorten(shape);
    database_.run(
        "INSERT INTO studies(id, n, title, state, outcome, head, doc, test_data, test_looks, brief) "
        "VALUES (?1, (SELECT coalesce(max(n), 0) + 1 FROM studies), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT(id) DO "
        "UPDATE SET title = ?2, state = ?3, outcome = ?4, head = ?5, doc = ?6, test_data = ?7, test_looks = ?8, "
        "brief = ?9",
        study_.id, study_.spec.title, kernel::name(study_.state), outcome(), head, whole,
        again() ? "" : kernel::test_data_key(study_.sealed),
        static_cast<std::int64_t>(kernel::own_looks(study_) - study_.test_looks.inherited), document(shape));
    list(shape);
  }

  void hypothesis(std::size_t position) {
    const kernel::HypothesisRecord& record = study_.hypotheses[position];
    database_.run(
        "INSERT OR REPLACE INTO hypotheses(study, position, id, experiment, verdict, context, kin, contrast, doc) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        study_.id, static_cast<std::int64_t>(position), record.hypothesis.id.text(), record.experiment.text(),
        record.result ? std::optional(kernel::name(record.result->verdict)) : std::nullopt,
        kernel::context_key(study_.spec, study_.workspace, study_.data),
        again() ? "" : kernel::command_key(study_.spec), kernel::contrast_key(record.hypothesis),
        document(kernel::hypothesis_shape(record, study_)));
    remember_hypothesis(database_, study_, record);
  }

  void run(const kernel::Run& run) {
    database_.run(
        "INSERT OR REPLACE INTO runs(study, number, experiment, state, purpose, doc) VALUES (?, ?, ?, ?, ?, ?)",
        study_.id, run.number, run.experiment.text(), kernel::name(run.state), kernel::name(run.purpose),
        document(kernel::run_shape(study_, run)));
    if (const auto record = kernel::to_remember(study_, run))
      database_.run("INSERT OR REPLACE INTO remembered(study, number, key, record) VALUES (?, ?, ?, ?)", study_.id,
                    run.number, kernel::cache_key(study_, run), kernel::encode(*record));
    for (const auto& [name, value] : run.measurement.values)
      database_.run(
          "INSERT OR REPLACE INTO metrics(study, run, name, value, censored, worst) VALUES (?, ?, ?, ?, ?, ?)",
          study_.id, run.number, name, std::isnan(value.value) ? std::optional<double>() : std::optional(value.value),
          value.censored, value.worst);
  }

  void node(std::size_t position) {
    const kernel::Node& node = study_.nodes[position];
    kernel::Study alone;  // Only this node, since the others have not changed.
    alone.nodes = {node};
    database_.run("INSERT OR REPLACE INTO nodes(study, position, id, type, title, doc) VALUES (?, ?, ?, ?, ?, ?)",
                  study_.id, static_cast<std::int64_t>(position), node.id, kernel::name(node.type), node.title,
                  document(kernel::graph_shape(alone)["nodes"][0]));
    remember_node(database_, study_, node);
  }

  void claim(std::size_t position) {
    const kernel::Claim& claim = study_.claims[position];
    database_.run(
        "INSERT OR REPLACE INTO claims(study, position, id, hypothesis, status, doc) VALUES (?, ?, ?, ?, ?, ?)",
        study_.id, static_cast<std::int64_t>(position), claim.id, claim.hypothesis.text(), claim.status,
        document(json(claim)));
    remember_claim(database_, study_, claim);
  }

 private:
  /// What the study is searched and sorted by. `shape`: its document.
  void list(const json& shape) {
    const auto spent = [&](const char* resource) {
      const json& amount = shape.at("ledger").at(resource).at("spent");
      return amount.is_number() ? std::optional(amount.get<double>()) : std::nullopt;
    };
    const bool waits =
        study_.state != kernel::StudyState::ended &&
        std::ranges::any_of(shape.at("gates"), [](const json& gate) { return gate.at("decision").is_null(); });
    database_.run(
        "INSERT INTO listed(study, n, title, words, state, outcome, waits, runs, usd, wall_s) "
        "VALUES (?1, (SELECT n FROM studies WHERE id = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT(study) DO "
        "UPDATE SET title = ?2, words = ?3, state = ?4, outcome = ?5, waits = ?6, runs = ?7, usd = ?8, wall_s = ?9",
        study_.id, study_.spec.title, small_letters(study_.id + "\n" + study_.spec.title + "\n" + study_.spec.question),
        kernel::name(study_.state), outcome(), waits, study_.runs.size(), spent("usd"), spent("wall_s"));
  }

  std::optional<std::string_view> outcome() const {
    if (study_.state != kernel::StudyState::ended || !study_.outcome) return std::nullopt;
    return kernel::name(*study_.outcome);
  }

  /// Whether the study is a reproduction, which tests nothing new.
  bool again() const { return !study_.reproduces.empty(); }

  Database& database_;
  const kernel::Study& study_;
};

}  // namespace

void update_read_models(Database& database, const std::vector<const kernel::Event*>& events, const kernel::Study& after,
                        const std::string& head) {
  Touched touched;
  for (const kernel::Event* event : events) touched.add(event->body);
  // A hypothesis counts the ordered runs that began before its registration, and some of them end after it.
  for (const int number : touched.runs)
    if (const kernel::Run* run = after.run(number); run && after.order_of(*run)) touched.all_hypotheses = true;
  Writer write(database, after);
  write.study(head);
  if (touched.opened) {
    remember_study(database, after);
    remember_papers(database, after);
  }
  for (std::size_t i = after.steering.size() - std::min(touched.words, after.steering.size());
       i < after.steering.size(); ++i)
    remember_word(database, after, i);
  for (std::size_t i = 0; i < after.hypotheses.size() && (touched.all_hypotheses || !touched.hypotheses.empty()); ++i)
    if (touched.all_hypotheses || touched.hypotheses.contains(after.hypotheses[i].hypothesis.id)) write.hypothesis(i);
  // As kernel::to_remember: what ran on the old code is no longer known by its key.
  if (touched.amended)
    database.run("DELETE FROM remembered WHERE study = ? AND number <= ?", after.id, after.batch.amended_at);
  for (const int number : touched.runs)
    if (const kernel::Run* run = after.run(number)) write.run(*run);
  for (std::size_t i = after.nodes.size() - std::min(touched.nodes, after.nodes.size()); i < after.nodes.size(); ++i)
    write.node(i);
  for (std::size_t i = after.claims.size() - std::min(touched.claims, after.claims.size()); i < after.claims.size();
       ++i)
    write.claim(i);
}

void write_read_models(Database& database, const kernel::Study& study, const std::string& head) {
  Writer write(database, study);
  write.study(head);
  remember_study(database, study);
  remember_papers(database, study);
  for (std::size_t i = 0; i < study.steering.size(); ++i) remember_word(database, study, i);
  for (std::size_t i = 0; i < study.hypotheses.size(); ++i) write.hypothesis(i);
  for (const kernel::Run& run : study.runs) write.run(run);
  for (std::size_t i = 0; i < study.nodes.size(); ++i) write.node(i);
  for (std::size_t i = 0; i < study.claims.size(); ++i) write.claim(i);
}

int stored_read_model_version(Database& database) {
  return static_cast<int>(database.integer("SELECT coalesce(max(version), 0) FROM read_models"));
}

void rebuild_read_models(Database& database) {
  for (const ReadModel& model : read_models()) database.run("DELETE FROM " + model.table);
  forget_all(database);
  for (const std::string& study : studies_by_age(database)) {
    kernel::State state;
    fold_study(database, study, state);
    write_read_models(database, *state.study(study), head_of(database, study));
  }
  each_import(database, [&](const StoredImport& row) { remember_import(database, kernel::read_import(row.record)); });
  each_tagging(database, [&](const StoredTagging& row) { apply_tagging(database, row); });
  database.run("DELETE FROM read_models");
  database.run("INSERT INTO read_models(version) VALUES (?)", read_model_version);
}

const std::vector<ReadModel>& read_models() {
  static const std::vector<ReadModel> all = {{"studies", "id", "n"},
                                             {"listed", "study", "n"},
                                             {"hypotheses", "study", "position"},
                                             {"runs", "study", "number"},
                                             {"nodes", "study", "position"},
                                             {"claims", "study", "position"},
                                             {"metrics", "study", "run, name"},
                                             {"remembered", "study", "number"},
                                             {"memories", "study", "kind, item"},
                                             {"papers", "study", "path"},
                                             {"tags", "study", "tag"},
                                             {"archived", "study", "study"}};
  return all;
}

}  // namespace memory
