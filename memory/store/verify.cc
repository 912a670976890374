#include "memory/store/verify.h"

#include <exception>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/codec/codec.h"
#include "memory/files/blobs.h"
#include "memory/files/home_folder.h"
#include "memory/log/event_log.h"
#include "memory/log/migrations.h"
#include "memory/log/read_connection.h"
#include "memory/log/state_snapshots.h"
#include "memory/store/event_files.h"
#include "memory/store/imports.h"
#include "memory/store/memories.h"
#include "memory/store/read_models.h"
#include "memory/store/store.h"
#include "memory/store/taggings.h"
#include "memory/workspace/snapshot.h"

namespace memory {

namespace {

constexpr std::size_t most_problems = 100;

class Verification {
 public:
  Verification(const std::string& home, VerifyReport& report)
      : report_(report),
        workspaces_(home + "/workspaces/"),
        blobs_(home + "/blobs"),
        named_(blobs_),
        rebuilt_("the rebuilt read models", Database::Access::memory) {}

  void run(Database& database) {
    migrate(rebuilt_, migrations());
    // One consistent view, however long it takes and even during writes.
    Transaction view(database, Transaction::Kind::read);
    check_file(database);
    check_schema(database);
    check_order(database);
    comparable_ = stored_read_model_version(database) == read_model_version;
    if (!comparable_)
      problem("the read models were written by another etude and were not compared: `etude resume` writes them anew");
    check_tagged(database);
    for (const std::string& study : studies_by_age(database)) check_study(database, study);
    check_taken_in(database);
    // Rows can be deleted so that nothing refers to them any more. A store begins with an event or an import.
    if (report_.events == 0 && database.integer("SELECT count(*) FROM imports") == 0)
      problem("the store is empty: no study was ever recorded in it, or everything that was is gone");
    for (const ReadModel& model : read_models()) check_strangers(database, model);
    for (const auto& [name, named] : named_.all()) check_blob(name, named);
    for (const std::string& hash : named_.frozen()) check_workspace(hash);
    report_.blobs = static_cast<std::int64_t>(named_.all().size());
  }

 private:
  void problem(std::string text) {
    if (report_.problems.size() < most_problems) report_.problems.push_back(std::move(text));
    if (report_.problems.size() == most_problems) report_.problems.emplace_back("there are more problems than these");
  }

  void check_file(Database& database) {
    for (Query q = database.query("PRAGMA integrity_check"); q.step();)
      if (q.text(0) != "ok") problem(fmt::format("etude.db: {}", q.text(0)));
  }

  void check_schema(Database& database) {
    const std::string sql = "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name";
    std::map<std::string, std::string> expected, found;
    for (Query q = rebuilt_.query(sql); q.step();) expected.emplace(q.text(0), q.text(1));
    for (Query q = database.query(sql); q.step();) found.emplace(q.text(0), q.text(1));
    // The statistics of ANALYZE are not part of the schema.
    std::erase_if(found, [](const auto& entry) { return entry.first.starts_with("table sqlite_stat"); });
    if (expected != found) problem("etude.db: its tables are not those of this schema version");
  }

  void check_order(Database& database) {
    std::int64_t expected = 1;
    for (Query q = database.query("SELECT seq FROM events ORDER BY seq"); q.step(); ++expected) {
      if (q.integer(0) == expected) continue;
      problem(fmt::format("event {}: expected number {} here; events are missing", q.integer(0), expected));
      expected = q.integer(0);
    }
    report_.events = database.integer("SELECT count(*) FROM events");
    const std::int64_t last =
        database.integer("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'");
    if (last != expected - 1)
      problem(fmt::format("events after {}: {} were written, they are gone", expected - 1, last));
  }

  void check_study(Database& database, const std::string& study) {
    kernel::State state;
    kernel::Chain chain;
    bool sound = true;
    const std::int64_t folded_at = state_snapshot_seq(database, study);
    each_event(database, study, 0, [&](const kernel::StoredEvent& event) {
      const std::string which = event_label(event);
      if (const std::string wrong = chain.add(event); !wrong.empty()) problem(which + ": " + wrong);
      try {
        const kernel::Event decoded = event.decoded();
        if (const auto wrong = named_.add(decoded, which)) problem(which + ": " + *wrong);
        if (sound) kernel::apply(state, decoded);
        if (sound && event.seq == folded_at && !matches_state_snapshot(database, *state.study(study)))
          problem("study " + study + ": its folded state is not what the events say");
      } catch (const std::exception& e) {
        if (sound) problem(which + ": " + e.what());
        sound = false;
      }
    });
    const kernel::Study* folded = sound ? state.study(study) : nullptr;
    if (!comparable_) return;
    if (!folded) {
      problem("study " + study + ": its read models were not checked, for its events cannot be followed");
      return;
    }
    write_read_models(rebuilt_, *folded, chain.head());
    for (const ReadModel& model : read_models()) compare(database, model, study);
  }

  /// Before the studies are compared, since their tags are not among their events.
  void check_tagged(Database& database) {
    check_taggings(database, [&](std::string wrong) { problem(std::move(wrong)); });
    each_tagging(database, [&](const StoredTagging& row) {
      try {
        apply_tagging(rebuilt_, row);
      } catch (const std::exception&) {
        // `check_taggings` reports this.
      }
    });
  }

  void check_taken_in(Database& database) {
    check_imports(database, [&](std::string wrong) { problem(std::move(wrong)); });
    each_import(database, [&](const StoredImport& row) {
      if (const auto wrong = named_.add_folder(row.files, "import " + row.id))
        problem("import " + row.id + ": " + *wrong);
      try {
        const kernel::ImportedArtifact said = kernel::read_import(row.record);
        if (!said.code.empty())
          if (const auto wrong = named_.add_folder(said.code, "import " + row.id))
            problem("import " + row.id + ": " + *wrong);
        if (!comparable_) return;
        remember_import(rebuilt_, said);
        for (const ReadModel& model : read_models())
          if (model.table == "memories") compare(database, model, row.id);
      } catch (const std::exception&) {
        // `check_imports` reports this.
      }
    });
  }

  void compare(Database& database, const ReadModel& model, const std::string& study) {
    const std::string sql =
        fmt::format("SELECT * FROM {} WHERE {} = ? ORDER BY {}", model.table, model.study_column, model.order);
    Query stored = database.query(sql, study), expected = rebuilt_.query(sql, study);
    for (int row = 1;; ++row) {
      const bool a = stored.step(), b = expected.step();
      if (!a && !b) return;
      bool same = a == b;
      for (int column = 0; same && column < stored.columns(); ++column)
        same = stored.is_null(column) == expected.is_null(column) && stored.text(column) == expected.text(column);
      if (same) continue;
      problem(fmt::format("study {}: row {} of {} is not what the events say", study, row, model.table));
      return;
    }
  }

  /// Reports rows of studies without events and of artifacts that were not imported.
  void check_strangers(Database& database, const ReadModel& model) {
    Query q = database.query(fmt::format(
        "SELECT DISTINCT {0} FROM {1} WHERE {0} NOT IN (SELECT study FROM events UNION SELECT id FROM imports)",
        model.study_column, model.table));
    while (q.step()) problem(fmt::format("{} has rows of study {}, which has no events", model.table, q.text(0)));
  }

  /// Checks the copy that runs start from. If it is missing, the next run makes it from blobs.
  void check_workspace(const std::string& hash) {
    const std::string folder = workspaces_ + hash;
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(folder, error))) return;
    for (const std::string& difference : differences(kernel::WorkspaceHash(hash), folder, blobs_))
      problem("workspace " + folder + ": " + difference + ": `etude resume` and the next run make it anew from blobs");
  }

  void check_blob(const std::string& name, const EventBlobs::Named& named) {
    try {
      std::int64_t bytes = 0;
      blobs_.stream(name, [&](std::string_view part) { bytes += static_cast<std::int64_t>(part.size()); });
      if (named.bytes >= 0 && bytes != named.bytes)
        problem(fmt::format("{} says that blob {} has {} bytes; it has {}", named.by, name, named.bytes, bytes));
    } catch (const StoreFault& fault) {
      problem(fmt::format("{}, named by {}", fault.what(), named.by));
    }
  }

  VerifyReport& report_;
  const std::string workspaces_;
  const Blobs blobs_;
  EventBlobs named_;
  Database rebuilt_;
  bool comparable_ = true;
};

}  // namespace

std::string VerifyReport::json() const {
  return nlohmann::json{{"ok", ok()}, {"events", events}, {"blobs", blobs}, {"problems", problems}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

VerifyReport verify(const std::string& home) {
  VerifyReport report;
  try {
    const ReadConnection connection(home);
    if (connection.database())
      Verification(home, report).run(*connection.database());
    else if (without_store(home) == Storeless::lost)
      report.problems.push_back(database_path(home) + ": " + store_lost);
    else
      report.store = false;
  } catch (const StoreFault& fault) {
    if (!fault.damage) throw;
    report.problems.emplace_back(fault.what());
  }
  return report;
}

}  // namespace memory
