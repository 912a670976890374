#pragma once
// Reads a whole artifact beneath a SafeRoot: every layer that is there, the tree, both indexes, and the list of files.
// Never fails: what is absent stays absent in the model, what is broken becomes a finding.

#include "artifacts/finding.h"
#include "artifacts/model.h"
#include "artifacts/safe_root.h"

namespace artifacts {

Artifact read_artifact(const SafeRoot& root, Findings& findings);

}  // namespace artifacts
