#pragma once
// The artifact that a study extends: looked at when the study file is read, taken into the memory when the study opens.
// From then on nobody needs it: what the study has of it is in its first event and among the blobs.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/event.h"
#include "kernel/domain/imported_artifact.h"
#include "memory/files/blobs.h"

namespace session {

/// `source`: the address of an import, or an absolute folder, of which no blob is made.
kernel::Result<kernel::ImportedArtifact> look_at_parent(const std::string& home, const std::string& source);

/// The artifact as it is in the blobs now. A Problem: it is not the one that the study file was read with.
kernel::Result<kernel::ImportedArtifact> bring_parent(const std::string& home, memory::Blobs&, const kernel::Extended&);

/// What the artifact tested, as if a study of the home had: `opened` says on which code and conditions it is now.
std::vector<kernel::Predecessor> tested_by(const kernel::ImportedArtifact&, const kernel::StudyOpened& opened);

/// Of what home remembers, what a text may cite: [@ara:NAME].
std::vector<kernel::Work> citable_imports(const std::string& home);

}  // namespace session
