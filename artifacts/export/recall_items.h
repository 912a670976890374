#pragma once
// What of an artifact is worth finding again: its claims, dead ends, decisions, concepts and evidence, each as a text
// with its address within the artifact. Takes everything as the artifact has it and vouches for nothing.

#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"
#include "kernel/domain/imported_artifact.h"

namespace artifacts {

/// All but id, source, files, errors and warnings. Of an artifact of ours whose event log is whole: also what it
/// tested.
kernel::ImportedArtifact memorable(const SafeRoot&, const Artifact&);

/// The prefix of what is the artifact's code among its files: the recorded workspace of its study, or else "src/".
/// `head`: ImportedArtifact::head.
struct CodePlace {
  std::string folder;    ///< "src/workspace/HASH/" or "src/"
  std::string manifest;  ///< "src/workspace/HASH.manifest", which lists it; empty: nothing does.
};
CodePlace code_place(const SafeRoot&);

}  // namespace artifacts
