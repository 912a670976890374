#pragma once
// Read access to the store for everything but the kernel: a read-only connection of its own that works during writes
// and changes nothing in a read-only home. One thread at a time. Documents are JSON text in the shapes of the API; ids
// are complete.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/codec/codec.h"
#include "kernel/domain/imported_artifact.h"
#include "kernel/domain/recall.h"
#include "kernel/outlook/run_times.h"
#include "kernel/study/state.h"
#include "kernel/verdicts/forecasts.h"
#include "memory/log/read_connection.h"
#include "memory/store/run_list.h"

namespace memory {

using kernel::StoredEvent;
using EachDocument = std::function<void(std::string_view document)>;

/// What studies are listed by. `runs`: how many; `usd`, `wall`: what was spent.
enum class StudyOrder { opened, title, runs, usd, wall };

/// A query for studies, page by page.
struct StudyQuery {
  int before = 0;  ///< Number of studies found that are left out.
  int most = 100;
  StudyOrder order = StudyOrder::opened;
  bool descending = false;
  std::vector<std::string> words;     ///< Each occurs in the id, the title or the question; ASCII letters in any case.
  std::vector<std::string> states;    ///< In one of these states or outcomes; "waiting": for a person's decision.
  std::vector<std::string> verdicts;  ///< With a hypothesis of one of these verdicts.
  std::vector<std::string> tags;      ///< With each of these tags.
  std::optional<bool> archived;       ///< Archived or not archived; none: both.
};

/// SQLite allows only so many conditions.
inline constexpr std::size_t most_query_words = 32;

/// A tag, and how many studies have it.
struct UsedTag {
  std::string tag;
  int studies = 0;
};

/// A run and its time.
struct TimedRun {
  kernel::RunTime time;                             ///< Start and end are 0 while they are not known.
  std::string experiment;                           ///< Empty if it is of none.
  std::string state, purpose;                       ///< As in `run` documents.
  std::string workspace;                            ///< The hash of the code that its study was opened with.
  std::int64_t peak_bytes = 0, gpu_peak_bytes = 0;  ///< The memory that it took, as Usage has it; 0 if it is not known.
};

class Reader {
 public:
  /// A home without a store reads as empty. Throws StoreFault as Store does, and for an older store.
  explicit Reader(const std::string& home);

  bool has_store() const { return connection_.database() != nullptr; }
  /// Oldest first.
  std::vector<std::string> ids() const;
  /// `study` documents as the events have made them, oldest first.
  void studies(const EachDocument&) const;
  /// The studies without their long lists (hypotheses, integrity, metrics), with `verdicts`, `tags` and `archived`.
  /// Returns how many there are on all pages. Precondition: at most `most_query_words` words and as many tags.
  int studies(const StudyQuery&, const EachDocument&) const;
  /// With `tags` and `archived`.
  std::optional<std::string> study(const std::string& id) const;
  /// The id of the first study that a request with this token has opened; none if there is no such study. Precondition:
  /// the token has no control characters.
  std::optional<std::string> opened_by(const std::string& token) const;
  /// All tags in use, in alphabetical order.
  std::vector<UsedTag> tags() const;
  /// `run` documents by number, one at a time.
  void runs(const std::string& study, const EachDocument&) const;
  /// Those of the query, in its order.
  void runs(const std::string& study, const RunQuery&, const EachDocument&) const;
  /// How many runs the query finds on all pages.
  int run_count(const std::string& study, const RunQuery&) const;
  /// The values of the query's metric in succeeded runs that are evidence and open, cell by cell: the levels as JSON.
  /// Precondition: the query is ordered by a metric; its filters are ignored.
  void values_by_cell(const std::string& study, const RunQuery&,
                      const std::function<void(std::string_view factors, double value)>&) const;
  /// What the query names and no run of the study has.
  std::optional<UnknownName> unknown_name(const std::string& study, const RunQuery&) const;
  /// For each experiment with runs that have not ended: their number.
  std::map<kernel::ExperimentId, int> pending(const std::string& study) const;
  std::optional<std::string> run(const std::string& run_id) const;
  /// The files that the run left and that were kept, from the event of its end; reads the study's events from the end.
  std::vector<kernel::OutputFile> outputs(const std::string& study, int run) const;
  /// {"nodes":[…]}
  std::string graph(const std::string& study) const;
  /// JSON arrays, in the order in which they were recorded.
  std::string hypotheses(const std::string& study) const;
  std::string claims(const std::string& study) const;
  /// The newest `most` judged `hypothesis` documents, oldest first, with their study's id and context
  /// (kernel::context_key). They share commands (kernel::command_key), the study file's folder (unless empty) or one of
  /// these contrasts (kernel::contrast_key, kernel::runs_key). Without reproductions.
  void judged_in(
      const std::string& kin, const std::string& folder, const std::vector<std::string>& contrasts, int most,
      const std::function<void(const std::string& study, std::string_view context, std::string_view document)>&) const;
  /// Of all studies that are neither forks nor reproductions, in order of the studies.
  std::vector<kernel::RoleForecast> forecasts() const;
  /// The `models` of each study's ledger, as JSON, oldest study first. Only of studies that have it, and not of forks,
  /// whose ledgers hold what the study before them spent.
  std::vector<std::string> models_used() const;
  /// Earlier studies whose experiments were scored on these test data (kernel::test_data_key), oldest first.
  std::vector<kernel::EarlierLooks> looks_at(const std::string& test_data) const;

  /// What succeeded runs of studies with these commands (kernel::command_key) took, the newest study first and at most
  /// `most` runs: smoke, pilot, search and registered runs that were executed. Of reproductions, no runs.
  std::vector<TimedRun> run_times(const std::string& commands, int most) const;
  /// All runs of one study by number, except scratch runs and those from the cache.
  std::vector<TimedRun> run_times_of(const std::string& study) const;

  /// Memories of studies, the best matches first.
  std::vector<kernel::Recollection> recall(const kernel::RecallQuery&) const;
  /// Imported artifacts, oldest first.
  std::vector<kernel::ImportedArtifact> imports() const;
  /// By its id, "ara:NAME".
  std::optional<kernel::ImportedArtifact> import(const std::string& id) const;
  /// The id of the import with these files; empty if there is none.
  std::string import_with(const std::string& files) const;
  /// The text and pages of a file that was in some study's corpus.
  std::optional<kernel::Paper> paper(const std::string& sha256) const;

  /// The study's events with `seq` beyond `after` (0: all), as one consistent view.
  void events(const std::string& study, std::int64_t after, const std::function<void(const StoredEvent&)>&) const;
  /// At most `most` of them, so that a slow reader does not hold up the store; of all studies if `study` is empty.
  std::vector<StoredEvent> events_after(std::int64_t after, std::size_t most, const std::string& study = {}) const;
  /// At most `most` of the study's moments with `seq` beyond `after`: all events except those of its runs and model
  /// calls. Only those of `type`, unless it is empty.
  std::vector<StoredEvent> moments(const std::string& study, std::int64_t after, std::size_t most,
                                   const std::string& type = {}) const;
  /// How many moments the study has.
  int moment_count(const std::string& study) const;
  /// Folds the events with `seq` beyond `after`, up to `until` and the end of its decision, into the state and the
  /// chain, which hold those up to `after`. Returns the last `seq`. Throws as `load` does.
  std::int64_t fold(const std::string& study, std::int64_t after, std::int64_t until, kernel::State&,
                    kernel::Chain&) const;
  /// The `seq` of the last event; 0 if there is none.
  std::int64_t last_event() const;
  /// Numbers of the study's runs that are not registered.
  std::set<int> scratch_runs(const std::string& study) const;
  /// The chain's last hash; empty if the study has no events.
  std::string head(const std::string& study) const;
  /// The study folded from its events; an empty state if there is none. Throws StoreFault naming the event if the chain
  /// is broken.
  kernel::State load(const std::string& study) const;
  /// The same for a study that has not ended, from its snapshot if it has one.
  kernel::State load_active(const std::string& study) const;

 private:
  /// Calls the function with every row; never if there is no store.
  template <typename Each, typename... Values>
  void rows(const Each&, const std::string& sql, const Values&... values) const;
  template <typename... Values>
  void documents(const EachDocument&, const std::string& sql, const Values&... values) const;
  std::string array(const std::string& sql, const std::string& study) const;
  /// Of the runs that the end of the statement selects.
  template <typename... Values>
  std::vector<TimedRun> timed_runs(const std::string& which, const Values&... values) const;

  ReadConnection connection_;
};

}  // namespace memory
