#include "memory/store/event_files.h"

#include <array>
#include <cmath>

#include "base/manifest.h"
#include "kernel/domain/image_root.h"
#include "memory/log/event_log.h"
#include "memory/log/read_connection.h"
#include "memory/store/imports.h"
#include "memory/workspace/kept_outputs.h"

namespace memory {

namespace {

using kernel::FolderUse;

const char* words_for(FolderUse use) {
  static constexpr std::array words = {"its workspace", "a version of its code", "what its environment is set up from",
                                       "its evaluator's code", "its evaluator's data"};
  static_assert(words.size() == static_cast<std::size_t>(FolderUse::evaluator_data) + 1);
  return words[static_cast<std::size_t>(use)];
}

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

  void add_environment(const kernel::EnvironmentRecord& environment) {
    if (environment.setup) all_.insert(environment.setup->key.text());
    if (const auto image = kernel::image_of(environment.toolchain)) all_.insert(*image);
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

using FolderKeeper = std::function<void(FolderUse, const std::string& manifest)>;

struct Folders : kernel::EventReferences {
  explicit Folders(FolderKeeper each) : keep(std::move(each)) {}
  void folder(FolderUse use, const std::string& manifest) override { keep(use, manifest); }
  FolderKeeper keep;
};

}  // namespace

void EventBlobs::name(const std::string& sha256, std::int64_t bytes, const std::string& by) {
  if (!sha256.empty()) named_.try_emplace(sha256, Named{by, bytes});
}

std::optional<std::string> EventBlobs::add(const kernel::Event& event, const std::string& by) {
  struct Names : kernel::EventReferences {
    void blob(const std::string& sha256, std::int64_t bytes) override { blobs.name(sha256, bytes, by); }
    void folder(FolderUse use, const std::string& manifest) override {
      if (problem) return;
      if (const auto found = blobs.add_listed(manifest, by, use == FolderUse::workspace))
        problem = std::string(words_for(use)) + ": " + *found;
    }
    Names(EventBlobs& all, const std::string& event_words) : blobs(all), by(event_words) {}

    EventBlobs& blobs;
    const std::string& by;
    std::optional<std::string> problem;
  } names(*this, by);
  kernel::each_reference(event.body, names);
  return names.problem;
}

std::optional<std::string> EventBlobs::add_folder(const std::string& manifest, const std::string& by) {
  return add_listed(manifest, by, false);
}

std::optional<std::string> EventBlobs::add_listed(const std::string& folder, const std::string& by, bool is_workspace) {
  name(folder, -1, by);
  try {
    const auto manifest = kernel::read_manifest(blobs_.get(folder));
    if (!manifest) return manifest.problem().text();
    if (is_workspace) frozen_.insert(folder);
    for (const kernel::ManifestEntry& entry : *manifest) name(entry.sha256, entry.bytes, by);
  } catch (const StoreFault&) {
    // A missing or damaged blob is reported where the blobs are read.
  }
  return std::nullopt;
}

void each_mentioned(std::string_view text, const std::function<void(std::string_view sha256)>& each) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end - at == 64) each(text.substr(at, 64));
    at = end + 1;
  }
}

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
    const auto keep_folder = [&](FolderUse use, const std::string& manifest) {
      if (use == FolderUse::evaluator_data || workspaces.insert(manifest).second)
        each_mentioned(blobs.get(manifest), keep);
    };
    Folders folders(keep_folder);
    each_event(database, study, 0, [&](const kernel::StoredEvent& event) {
      refuse_broken(chain, event);
      each_mentioned(event.payload, keep);
      ended = ended || event.is<kernel::StudyEnded>();
      if (event.is<kernel::RunEnded>() && event.payload.find("\"kept\"") != std::string::npos)
        outputs.add(spec, std::get<kernel::RunEnded>(event.decoded().body));
      if (!kernel::may_name_folders(event.type, event.payload)) return;
      const kernel::Event decoded = event.decoded();
      kernel::each_reference(decoded.body, folders);
      if (const auto* queued = std::get_if<kernel::RunsQueued>(&decoded.body))
        if (queued->order && queued->order->environment) outputs.add_environment(*queued->order->environment);
      const auto* opened = std::get_if<kernel::StudyOpened>(&decoded.body);
      if (!opened) return;
      output = opened->output;
      spec = opened->spec;
      outputs.add_environment(opened->environment);
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
