#pragma once
// The items that `recall` finds in an artifact: claims, dead ends, decisions, concepts and evidence, each as a text
// with its address in the artifact. Nothing is verified.

#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"
#include "kernel/domain/imported_artifact.h"

namespace artifacts {

/// Fills all members except id, source, files, errors and warnings. For an artifact of etude with a complete event log,
/// also what it tested.
kernel::ImportedArtifact memorable(const SafeRoot&, const Artifact&);

/// The path prefix of the artifact's code: the recorded workspace of its study, or "src/". `head`:
/// ImportedArtifact::head.
struct CodeRoot {
  std::string folder;    ///< "src/workspace/HASH/" or "src/".
  std::string manifest;  ///< "src/workspace/HASH.manifest", which lists the code; empty if there is none.
};
CodeRoot code_place(const SafeRoot&);

}  // namespace artifacts
