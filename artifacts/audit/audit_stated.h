#pragma once
// What an artifact states, judged by its own words: for artifacts without a record, whose runs nobody can recompute. No
// model is asked; each group finds only what words, ids and numbers show, and what it finds is for a person to judge.

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

/// Falsification criteria that are missing, empty or say only that the claim is false.
void audit_falsification(const Artifact&, Findings&);
/// Words of a supported claim that know no bounds ("in all settings", "always", "proves"), against its Conditions.
void audit_scope(const Artifact&, Findings&);
/// Experiments that no claim names, proofs that do not verify what they are the proof of, claims built on fallen ones.
void audit_support(const Artifact&, Findings&);
/// Supported claims that advocate what a dead end or a pivot of the tree rejected.
void audit_branches(const Artifact&, Findings&);
/// Quotes and numbers of claims against the pages that they name, labels of evidence against its content.
void audit_sources(const Artifact&, const SafeRoot&, Findings&);
/// Who is said to have done what, as information.
void audit_provenance(const Artifact&, Findings&);

/// All of the above.
void audit_stated(const Artifact&, const SafeRoot&, Findings&);

/// Whether the claim is said to be supported.
bool is_supported(const Block& claim);

}  // namespace artifacts
