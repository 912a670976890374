#pragma once
// Reads a whole artifact beneath a SafeRoot: every layer that is there, the tree, both indexes, and the list of files.
// Never fails: what is absent stays absent in the model, what is broken becomes a finding.

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

Artifact read_artifact(const SafeRoot& root, Findings& findings);

}  // namespace artifacts
