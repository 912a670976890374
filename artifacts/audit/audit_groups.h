#pragma once
// The groups of rules that audit() runs over an artifact of ours. Each only adds findings.

#include <map>
#include <string>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/recorded_log.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// The log line by line: registered before run, runs as registered, none left out, retries legal, events in order.
class RegistrationAudit {
 public:
  explicit RegistrationAudit(Findings& findings) : findings_(findings) {}
  void see(const kernel::Study* before, const kernel::Event& event, int line);

 private:
  void order(const kernel::Event&, int line);
  void registered(const kernel::Study&, const kernel::ExperimentRegistered&, int line);
  void queued(const kernel::Study&, const kernel::RunsQueued&, int line);
  void planned(const kernel::Experiment&, const kernel::RunsQueued&, const kernel::PlannedRun&, int line);
  void repeated(const kernel::Experiment&, const kernel::RunsQueued&, const kernel::PlannedRun&, int line);
  void retried(const kernel::Study&, const kernel::RunsQueued&, const kernel::PlannedRun&, int line);
  void ended(const kernel::Study&, const kernel::RunEnded&, int line);
  void analysed(const kernel::Study&, const kernel::ExperimentAnalysed&, int line);
  void amended(const kernel::Study&, const kernel::WorkspaceAmended&, int line);

  Findings& findings_;
  std::int64_t boot_ms_ = 0;
  std::string boot_id_;
  std::map<std::string, std::map<kernel::Cell, int>> cells_;  ///< Experiment → registered cell → its index.
  std::map<std::string, std::map<kernel::Cell, std::set<int>>> planned_;  ///< Experiment → cell → replicates.
  std::set<std::string> older_;                                           ///< Experiments that this was said of.
};

/// The kernel's decisions, taken again at the state in which it took them.
class DecisionAudit {
 public:
  /// `severity` of what differs.
  DecisionAudit(Findings& findings, Severity severity) : findings_(findings), severity_(severity) {}
  void see(const kernel::Study* before, const kernel::Event& event, int line);

 private:
  template <typename Recorded, typename Compute>
  void same(const Recorded& recorded, Compute compute, const std::string& what, int line);
  void queued(const kernel::Study&, const kernel::RunsQueued&, int line);
  void ended(const kernel::Study&, const kernel::RunEnded&, int line);
  void analysed(const kernel::Study&, const kernel::ExperimentAnalysed&, int line);
  void looked(const kernel::Study&, const kernel::InterimLook&, int line);
  /// Of a search: its plan, its rungs and what it carries forward; whether the event was one of those.
  bool searched(const kernel::Study&, const kernel::Event&, int line);
  void code_searched(const kernel::Study&, const kernel::Event&, int line);
  void decision(int line, const std::string& what);

  Findings& findings_;
  Severity severity_;
  bool search_is_sound_ = false;  ///< The plan is the one that the study's state gives.
};

/// What the log was folded into, and where in it each run ended.
struct AuditedRecord {
  const Artifact& artifact;
  const SafeRoot& root;
  const kernel::Study& study;
  std::string head;
  std::string tool_version;  ///< Of the program that wrote the artifact, by its own word.
  std::map<int, int> ended_at;
  Severity severity = Severity::critical;  ///< Of lines that differ.
};

/// The bytes behind hashes, as far as the artifact carries them: found by audit_evidence, needed to compose pages.
using Carried = std::map<std::string, std::string>;

/// Points and copied logs against the hashes in the log, and the runs' values against their points.
Carried audit_evidence(const AuditedRecord&, Findings&);
/// Claims, experiments and nodes of the pages against those of the log, whatever the wording.
void audit_entries(const AuditedRecord&, Findings&);
/// Every page that follows from the log, composed anew and compared line by line.
void audit_pages(const AuditedRecord&, const Carried&, Findings&);
/// Figures, drawn again: all of a picture by the same gnuplot, what can be read in it by another. Without a gnuplot:
/// nothing.
void audit_pictures(const AuditedRecord&, Findings&);
/// What commands name, against the snapshot of the code that ran.
void audit_code(const AuditedRecord&, Findings&);
/// Traces that results leave which nobody measured.
void audit_trails(const AuditedRecord&, Findings&);

}  // namespace artifacts
