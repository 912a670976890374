#pragma once
// The groups of rules that check() runs, each over the whole artifact. Each only adds findings.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/recorded_log.h"
#include "artifacts/read/reference_check.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// etude.json, read once for all who ask.
struct OpenSeal {
  FileKind kind = FileKind::none;
  bool too_large = false;
  nlohmann::json document;  ///< Discarded where the file is no JSON; null where there is none to read.
  int trouble_line = 0;     ///< Where it stops being JSON.
};
OpenSeal open_seal(const SafeRoot&);

/// Mandatory files, strange files, evidence stems.
void check_files(const Artifact& artifact, const SafeRoot& root, Findings& findings);
/// Front matter, Layer Index, evidence index, declared counts: index and disk say the same.
void check_indexes(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings);
/// Ids, fields and references of the Markdown layers of logic/.
void check_layers(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings);
/// What Sources of claims must look like.
void check_sources(const Artifact& artifact, Findings& findings);
/// Fields and references of the pages of evidence/, and the pictures of tables and figures.
void check_evidence(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings);
/// That the code of src/execution/ says where it comes from.
void check_execution(const Artifact& artifact, const SafeRoot& root, Findings& findings);
/// Markdown, YAML and JSON that no other rule reads.
void check_texts(const Artifact& artifact, const SafeRoot& root, Findings& findings);
/// The relative links of report.md.
void check_links(const SafeRoot& root, Findings& findings);
/// Ids, edges, references and support levels of the exploration tree.
void check_tree(const Artifact& artifact, const KnownIds& known, Findings& findings);
/// The hashes that etude.json recorded; nothing where there is none.
void check_hashes(const Artifact& artifact, const SafeRoot& root, const OpenSeal&, Findings& findings,
                  const HashObserver& hashing);
/// Of another program's seal members may be missing or added; one that this very version wrote has what it writes.
enum class Writer { any, same };
/// An artifact of ours against its own event log: the chain, what etude.json says of it, and the workspace's manifest.
/// The log, where it could be followed to the study's conclusion; `observer` sees it pass.
std::optional<RecordedLog> check_record(const Artifact& artifact, const SafeRoot& root, const OpenSeal&, Writer,
                                        Findings& findings, const LogObserver& observer);

/// All of the above. Returns what check_record does.
std::optional<RecordedLog> check_all(const Artifact& artifact, const SafeRoot& root, const OpenSeal&, Writer,
                                     Findings& findings, const HashObserver& hashing, const LogObserver& observer = {});

}  // namespace artifacts
