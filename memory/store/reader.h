#pragma once
// The shared memory, from everyone else's side: a read-only connection of its own that works while a kernel writes, and
// leaves no trace in a home that cannot be written. One thread at a time. Documents are the contract's JSON shapes, as
// text; ids are whole ids.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/codec/stored_event.h"
#include "kernel/domain/imported_artifact.h"
#include "kernel/domain/recall.h"
#include "kernel/study/state.h"
#include "kernel/verdicts/forecasts.h"
#include "memory/log/read_connection.h"
#include "memory/store/run_query.h"

namespace memory {

using kernel::StoredEvent;
using EachDocument = std::function<void(std::string_view document)>;

class Reader {
 public:
  /// A home without a store reads as one without studies. Throws StoreFault as Store does, and for an older store.
  explicit Reader(const std::string& home);

  bool has_store() const { return connection_.database() != nullptr; }
  /// Oldest first.
  std::vector<std::string> ids() const;
  /// `study` documents, oldest first.
  void studies(const EachDocument&) const;
  /// At most `most` of those after the first `before`, oldest or newest first, without their long lists: hypotheses,
  /// integrity, metrics.
  void studies_after(int before, int most, bool newest_first, const EachDocument&) const;
  std::optional<std::string> study(const std::string& id) const;
  /// `run` documents in the order of their numbers, without gathering them.
  void runs(const std::string& study, const EachDocument&) const;
  void runs(const std::string& study, const RunQuery&, const EachDocument&) const;
  /// Of each experiment, how many of its runs have not ended; of those that have such.
  std::map<std::string, int> pending(const std::string& study) const;
  std::optional<std::string> run(const std::string& run_id) const;
  /// {"nodes":[…]}
  std::string graph(const std::string& study) const;
  /// JSON arrays, in order of proposal and of recording.
  std::string hypotheses(const std::string& study) const;
  std::string claims(const std::string& study) const;
  /// `hypothesis` documents that were judged, of studies with these commands (kernel::kin_key) or whose file lay in
  /// this folder (empty: of none), and all that are about these contrasts (kernel::contrast_key), their study's id and
  /// its context (kernel::context_key); the newest `most`, oldest first. Reproductions are none of them.
  void judged_in(
      const std::string& kin, const std::string& folder, const std::vector<std::string>& contrasts, int most,
      const std::function<void(const std::string& study, std::string_view context, std::string_view document)>&) const;
  /// Of all studies that are neither forks nor reproductions, in the order of the studies.
  std::vector<kernel::RoleForecast> forecasts() const;
  /// Studies whose experiments were scored on these data (kernel::test_data_key), oldest first.
  std::vector<kernel::EarlierLooks> looks_at(const std::string& test_data) const;

  /// What studies have left behind, the best first.
  std::vector<kernel::Recollection> recall(const kernel::RecallQuery&) const;
  /// Imported artifacts, oldest first.
  std::vector<kernel::ImportedArtifact> imports() const;
  /// By its id, "ara:NAME".
  std::optional<kernel::ImportedArtifact> import(const std::string& id) const;
  /// The id of the one that has these files; empty: none has.
  std::string import_with(const std::string& files) const;
  /// What a file's text and pages were when some study had it in its corpus.
  std::optional<kernel::Paper> paper(const std::string& sha256) const;

  /// The study's events with `seq` beyond `after` (0: all), as one consistent view.
  void events(const std::string& study, std::int64_t after, const std::function<void(const StoredEvent&)>&) const;
  /// At most `most` of them, so that nobody slow holds up the store; of every study where `study` is empty.
  std::vector<StoredEvent> events_after(std::int64_t after, std::size_t most, const std::string& study = {}) const;
  /// At most `most` of the study's moments with `seq` beyond `after`: its events but those of its runs and of its
  /// models' calls. `type`: only these, which must be of a moment; empty: all.
  std::vector<StoredEvent> moments(const std::string& study, std::int64_t after, std::size_t most,
                                   const std::string& type = {}) const;
  /// The study's events with `seq` beyond `after`, up to `until` and what was decided together with it, into the state
  /// and the chain, which hold those up to `after`. Gives the `seq` of the last one. Throws as `load` does.
  std::int64_t fold(const std::string& study, std::int64_t after, std::int64_t until, kernel::State&,
                    kernel::Chain&) const;
  /// The `seq` of the last event; 0: there is none.
  std::int64_t last_event() const;
  /// Numbers of the study's runs that are no registered ones.
  std::set<int> scratch_runs(const std::string& study) const;
  /// The chain's last hash; empty when the study has no events.
  std::string head(const std::string& study) const;
  /// The study folded from its events; the state is empty when there is none of that id. Throws
  /// StoreFault naming the event where the chain is broken.
  kernel::State load(const std::string& study) const;
  /// The same of a study that has not ended, from its stored state where there is one.
  kernel::State load_active(const std::string& study) const;

 private:
  void documents(const std::string& sql, const std::string& study, const EachDocument&) const;
  std::string array(const std::string& sql, const std::string& study) const;

  ReadConnection connection_;
};

}  // namespace memory
