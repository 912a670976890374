#pragma once
// The groups of rules that audit() applies: to an artifact of etude by its record, and to one of another program by its
// own words, since its runs cannot be recomputed. Each only adds findings; those on words need a person's judgement.

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/record.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// Checks the log line by line: registration before runs, runs as registered and complete, retries legal, events in
/// order.
class RegistrationAudit {
 public:
  explicit RegistrationAudit(Findings& findings) : findings_(findings) {}
  void see(const kernel::Study* before, const kernel::Event& event, int line);

 private:
  struct Seen;
  void order(const kernel::Event&, int line);
  void registered(const kernel::Study&, const kernel::ExperimentRegistered&, int line);
  void queued(const kernel::Study&, const kernel::RunsQueued&, int line);
  void planned(const kernel::Experiment&, const kernel::RunsQueued&, const kernel::PlannedRun&, int line);
  void repeated(const kernel::Experiment&, const kernel::RunsQueued&, const kernel::PlannedRun&, int line);
  void repeated_smoke(const kernel::Study&, const kernel::Registration&, const kernel::RunsQueued&,
                      const kernel::PlannedRun&, int line);
  void retried(const kernel::RunBoard&, const kernel::RunsQueued&, const kernel::PlannedRun&, int line);
  void ended(const kernel::Study&, const kernel::RunEnded&, int line);
  void analysed(const kernel::Study&, const kernel::ExperimentAnalysed&, int line);
  void amended(const kernel::Study&, const kernel::WorkspaceAmended&, int line);

  Findings& findings_;
  std::int64_t boot_ms_ = 0;
  std::string boot_id_;
  std::map<kernel::ExperimentId, std::map<kernel::Cell, int>> cells_;  ///< Experiment → registered cell → its index.
  std::map<kernel::ExperimentId, std::map<kernel::Cell, std::set<int>>> planned_;  ///< Experiment → cell → replicates.
  std::set<kernel::ExperimentId> older_;  ///< Experiments for which this was reported.
};

/// Repeats the kernel's decisions at the states at which the kernel took them.
class DecisionAudit {
 public:
  /// `severity`: of differences.
  DecisionAudit(Findings& findings, Severity severity) : findings_(findings), severity_(severity) {}
  void see(const kernel::Study* before, const kernel::Event& event, int line);

 private:
  template <typename Recorded, typename Compute>
  void same(const Recorded& recorded, const std::string& what, int line, Compute compute);
  void queued(const kernel::Study&, const kernel::RunsQueued&, int line);
  void ended(const kernel::Study&, const kernel::RunEnded&, int line);
  void analysed(const kernel::Study&, const kernel::ExperimentAnalysed&, int line);
  void looked(const kernel::Study&, const kernel::InterimLook&, int line);
  void search_registered(const kernel::Study&, const kernel::SearchRegistered&, int line);
  void search_queued(const kernel::Study&, const kernel::RunsQueued&, int line);
  void ranked(const kernel::Study&, const kernel::RungRanked&, int line);
  void decision(int line, const std::string& what);
  struct Repetition;

  Findings& findings_;
  Severity severity_;
  std::vector<kernel::Node> dead_ends_;  ///< Those of the last ranking that must follow it.
  bool search_is_sound_ = false;         ///< The plan equals the one that follows from the study's state.
};

/// The study folded from the log, and the line of each run's end.
struct AuditedRecord {
  const Artifact& artifact;
  const SafeRoot& root;
  const kernel::Study& study;
  std::string head;
  std::string tool_version;  ///< The version that wrote the artifact, as the artifact states it.
  std::map<int, int> ended_at;
  Severity severity = Severity::critical;  ///< Severity of lines that differ.
  int layout = 1;                          ///< Of the pages.
};

/// Hash → bytes, for blobs that the artifact contains. audit_evidence finds them; composing pages needs them.
using Carried = std::map<std::string, std::string>;

/// Compares points and copied logs with the hashes in the log, and the runs' values with their points.
Carried audit_evidence(const AuditedRecord&, Findings&);
/// Compares the claims, experiments and nodes of the pages with those of the log. Their wording does not matter.
void audit_entries(const AuditedRecord&, Findings&);
/// Composes every page that follows from the log and compares it line by line.
void audit_pages(const AuditedRecord&, const Carried&, Findings&);
/// Compares the files that do not follow from the log (pictures, ends of long logs) with the hashes that the log has of
/// them, since wording 5.
void audit_unlogged_files(const AuditedRecord&, Findings&);
/// Draws the figures again and compares them: completely if the gnuplot version is the same, else only their text.
/// Returns what could not be compared in this way, empty if nothing.
std::string audit_pictures(const AuditedRecord&, const Carried&, Findings&);
/// Compares what commands name with the snapshot of the code that ran.
void audit_code(const AuditedRecord&, Findings&);
/// Finds traces of results that were not measured.
void audit_trails(const AuditedRecord&, Findings&);

/// Judges an artifact without a record by words, ids and numbers, without a model. Finds empty falsification criteria,
/// supported claims of unlimited scope, experiments that no claim names, proofs that do not verify their claim, claims
/// that depend on refuted ones, and what the two functions below find. Reports the stated provenance of nodes as
/// information.
void audit_stated(const Artifact&, const SafeRoot&, Findings&);

/// Supported claims that repeat what a dead end or a pivot of the tree rejected.
void audit_branches(const Artifact&, Findings&);
/// Compares quotes and numbers of claims with the pages that they name, and labels of evidence with its content.
void audit_sources(const Artifact&, const SafeRoot&, Findings&);

/// Whether the claim's status is supported.
bool is_supported(const Block& claim);

struct ValueDifference {
  std::string where;  ///< Such as ".results[0].effect"; "" for the whole value.
  std::string found, computed;
};

/// Numbers agree if they differ by no more than arithmetic on another machine may cause: this share of the larger one.
inline constexpr double same_number = 1e-9;

/// Compares a recorded value with its recomputation, as JSON so that every member counts.
std::optional<ValueDifference> first_value_difference(const nlohmann::json& found, const nlohmann::json& computed);

}  // namespace artifacts
