#pragma once
// Judges an artifact without a record by its own words, since its runs cannot be recomputed. Uses no model; findings
// rest only on words, ids and numbers, and a person has to judge them.

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// Falsification criteria that say nothing; supported claims of unlimited scope; experiments that no claim names,
/// proofs that do not verify their claim, claims built on refuted ones; and what the two functions below find. Reports,
/// as information, who is stated to have done what.
void audit_stated(const Artifact&, const SafeRoot&, Findings&);

/// Supported claims that repeat what a dead end or a pivot of the tree rejected.
void audit_branches(const Artifact&, Findings&);
/// Compares quotes and numbers of claims with the pages that they name, and labels of evidence with its content.
void audit_sources(const Artifact&, const SafeRoot&, Findings&);

/// Whether the claim's status is supported.
bool is_supported(const Block& claim);

}  // namespace artifacts
