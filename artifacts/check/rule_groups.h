#pragma once
// The groups of rules that check() runs, each over the whole artifact. Each only adds findings.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/record.h"
#include "artifacts/read/references.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// etude.json, read once for all rules.
struct EtudeJson {
  FileKind kind = FileKind::none;
  bool too_large = false;
  nlohmann::json document;   ///< Discarded if the file is no JSON; null if it cannot be read.
  int trouble_line = 0;      ///< The line where the JSON is malformed.
  bool doubled_key = false;  ///< An object has a key twice, of which the document has the last.
};
EtudeJson open_seal(const SafeRoot&);

/// Mandatory files, unknown files, evidence stems.
void check_files(const Artifact& artifact, const SafeRoot& root, Findings& findings);
/// Compares front matter, Layer Index, evidence index and declared counts with the files.
void check_indexes(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings);
/// Ids, fields and references of the Markdown layers of logic/.
void check_layers(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings);
/// The form of the claims' sources.
void check_sources(const Artifact& artifact, Findings& findings);
/// Fields and references of the pages of evidence/, and the pictures of tables and figures.
void check_evidence(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings);
/// The stated origin of the code in src/execution/.
void check_execution(const Artifact& artifact, const SafeRoot& root, Findings& findings);
/// Markdown, YAML and JSON that no other rule reads.
void check_texts(const Artifact& artifact, const SafeRoot& root, Findings& findings);
/// The relative links of report.md.
void check_links(const SafeRoot& root, Findings& findings);
/// Ids, edges, references and support levels of the exploration tree.
void check_tree(const Artifact& artifact, const KnownIds& known, Findings& findings);
/// The hashes in etude.json; does nothing without that file. `study`: from the log, which may have hashes of more
/// files; null if it could not be followed.
void check_hashes(const Artifact& artifact, const SafeRoot& root, const EtudeJson&, const kernel::Study* study,
                  Findings& findings, const HashObserver& hashing);
/// An etude.json of another version may have fewer or more members; one of this version must have exactly its own.
enum class Writer { any, same };
/// Compares an artifact of etude with its own event log: the chain, etude.json and the workspace's manifest. Returns
/// the log if it could be followed to the study's conclusion; `observer` gets its events.
std::optional<RecordedLog> check_record(const Artifact& artifact, const SafeRoot& root, const EtudeJson&, Writer,
                                        Findings& findings, const LogObserver& observer);

/// All of the above. Returns the result of check_record.
std::optional<RecordedLog> check_all(const Artifact& artifact, const SafeRoot& root, const EtudeJson&, Writer,
                                     Findings& findings, const HashObserver& hashing, const LogObserver& observer = {});

/// How far a check or an audit went.
struct Extent {
  bool recorded = false;       ///< The event log could be followed.
  bool audited = false;        ///< Pages and numbers were computed again from it.
  bool head_compared = false;  ///< Its head was compared with one that somebody kept.
  std::string pictures{};      ///< Why the audit drew no pictures again; empty if it did, or if there are none.
};
/// What nobody may conclude from a report without findings: each in a sentence, with the command that would tell.
std::vector<std::string> not_verified(const Artifact&, const Extent&);

}  // namespace artifacts
