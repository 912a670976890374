#pragma once
// The artifact that a study extends: read with the study file, imported when the study opens. After that it is no
// longer needed: the study's first event and the blobs have what the study uses.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/event.h"
#include "kernel/domain/imported_artifact.h"
#include "memory/files/blobs.h"

namespace session {

/// `source`: the address of an import, or an absolute folder, of which no blob is made.
kernel::Result<kernel::ImportedArtifact> look_at_parent(const std::string& home, const std::string& source);

/// The artifact as copied into the blobs. A problem if it is not the one that was read with the study file.
kernel::Result<kernel::ImportedArtifact> bring_parent(const std::string& home, memory::Blobs&, const kernel::Extended&);

/// What the artifact tested, in the form of earlier results of the home; `opened` gives the present code and conditions
/// for comparison.
std::vector<kernel::Predecessor> tested_by(const kernel::ImportedArtifact&, const kernel::StudyOpened& opened);

/// The imports that a text may cite: [@ara:NAME].
std::vector<kernel::Work> citable_imports(const std::string& home);

}  // namespace session
