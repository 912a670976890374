#pragma once
// Reads a whole artifact below a SafeRoot: its layers, the tree, both indexes, and the list of files. Never fails: what
// is missing is missing in the model, what is malformed becomes a finding.

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

Artifact read_artifact(const SafeRoot& root, Findings& findings);

}  // namespace artifacts
