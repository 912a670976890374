#include "memory/store/retention.h"

#include <cmath>
#include <functional>
#include <optional>

#include "kernel/codec/codec.h"
#include "kernel/domain/event_references.h"
#include "memory/log/event_log.h"
#include "memory/log/read_connection.h"
#include "memory/store/event_blobs.h"
#include "memory/store/imports.h"
#include "memory/workspace/large_outputs.h"

namespace memory {

namespace {

constexpr const char* look = "`etude verify` says what else is wrong; nothing can be deleted before it is mended";

void refuse_missing_events(Database& database) {
  const std::int64_t written =
      database.integer("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'");
  if (database.integer("SELECT count(*) FROM events") != written)
    throw StoreFault(database.path(), "lacks events that were written, and what they named is unknown", look, true);
}

/// The kept outputs of a study's runs.
class KeptOutputs {
 public:
  void add(const kernel::StudySpec& spec, const kernel::RunEnded& ended) {
    if (ended.kept.empty()) return;
    for (const kernel::KeptOutput& kept : ended.kept) all_.insert(kept.sha256);
    const kernel::Metric& metric = spec.reported(spec.primary());
    const auto value = ended.measurement.values.find(metric.name);
    const bool measured = ended.state == kernel::RunState::succeeded && value != ended.measurement.values.end() &&
                          std::isfinite(value->second.value);
    const bool best = measured && (!best_ || (metric.goal == kernel::Goal::minimize ? value->second.value < *best_
                                                                                    : value->second.value > *best_));
    if (best) {
      best_ = value->second.value;
      of_best_.clear();
    }
    for (const kernel::KeptOutput& kept : ended.kept) {
      const kernel::LargeOutput* rule = large_output(spec.large_outputs, kept.path);
      if (!rule) continue;
      if (rule->retain == kernel::LargeOutput::Retain::all) retained_.insert(kept.sha256);
      if (rule->retain == kernel::LargeOutput::Retain::best && best) of_best_.insert(kept.sha256);
    }
  }

  void add_setup(const kernel::EnvironmentRecord& environment) {
    if (environment.setup) all_.insert(environment.setup->key);
  }

  std::set<std::string> needed(bool ended) const {
    if (!ended) return all_;
    std::set<std::string> needed = retained_;
    needed.insert(of_best_.begin(), of_best_.end());
    return needed;
  }

 private:
  std::set<std::string> all_, retained_, of_best_;
  std::optional<double> best_;
};

using FolderKeeper = std::function<void(kernel::FolderUse, const std::string& manifest)>;

struct Folders : kernel::EventReferences {
  explicit Folders(FolderKeeper each) : keep(std::move(each)) {}
  void folder(kernel::FolderUse use, const std::string& manifest) override { keep(use, manifest); }
  FolderKeeper keep;
};

}  // namespace

Retention retention_of(const std::string& home) {
  const ReadConnection connection(home);
  Database& database = *connection.database();
  const Blobs blobs(home + "/blobs");
  Retention needs;
  const auto keep = [&](std::string_view sha256) { needs.blobs.emplace(sha256); };
  // One consistent view, even during writes.
  Transaction view(database, Transaction::Kind::read);
  refuse_missing_events(database);
  for (const std::string& study : studies_by_age(database)) {
    kernel::Chain chain;
    std::string output;
    std::set<std::string> workspaces;
    kernel::StudySpec spec;
    KeptOutputs outputs;
    bool ended = false;
    const auto keep_folder = [&](kernel::FolderUse use, const std::string& manifest) {
      if (use == kernel::FolderUse::evaluator_data || workspaces.insert(manifest).second)
        each_mentioned(blobs.get(manifest), keep);
    };
    Folders folders(keep_folder);
    each_event(database, study, 0, [&](const kernel::StoredEvent& event) {
      refuse_broken(chain, event);
      each_mentioned(event.payload, keep);
      ended = ended || event.type == "StudyEnded";
      if (event.type == "RunEnded" && event.payload.find("\"kept\"") != std::string::npos)
        outputs.add(spec, std::get<kernel::RunEnded>(event.decoded().body));
      if (!kernel::may_name_folders(event.type, event.payload)) return;
      const kernel::Event decoded = event.decoded();
      kernel::each_reference(decoded.body, folders);
      const auto* opened = std::get_if<kernel::StudyOpened>(&decoded.body);
      if (!opened) return;
      output = opened->output;
      spec = opened->spec;
      outputs.add_setup(opened->environment);
    });
    needs.kept.merge(outputs.needed(ended));
    if (ended) continue;
    needs.workspaces.merge(workspaces);
    needs.outputs.insert(output);
  }
  check_imports(database, [&](const std::string& wrong) { throw StoreFault(database.path(), wrong, look, true); });
  each_import(database, [&](const StoredImport& row) {
    keep(row.files);
    each_mentioned(blobs.get(row.files), keep);
    const std::string code = kernel::read_import(row.record).code;
    keep(code);
    each_mentioned(blobs.get(code), keep);
  });
  return needs;
}

}  // namespace memory
