#pragma once
// Prior work of a study: results of earlier studies of the home, and imported artifacts that it extends or may cite.
// The study's first event and the blobs contain all that the study uses of these. Any thread.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/commands.h"
#include "kernel/domain/event.h"
#include "kernel/domain/imported_artifact.h"
#include "memory/files/blobs.h"

namespace session {

/// Hypotheses with verdicts of earlier studies of this home: with the same commands; of studies in the same folder,
/// since an additional blank makes no new question; or with the contrast of a hypothesis that the study lists or
/// derives from its factors. The newest 500, oldest first.
std::vector<kernel::Predecessor> predecessors(const std::string& home, const kernel::StudyOpened&);

/// `source`: the address of an import, or an absolute folder, which is not copied into blobs.
kernel::Result<kernel::ImportedArtifact> look_at_parent(const std::string& home, const std::string& source);

/// The artifact as copied into the blobs. A problem if it is not the one that was read with the study file.
kernel::Result<kernel::ImportedArtifact> bring_parent(const std::string& home, memory::Blobs&, const kernel::Extended&);

/// What the artifact tested, in the form of earlier results of the home; `opened` gives the present code and conditions
/// for comparison.
std::vector<kernel::Predecessor> tested_by(const kernel::ImportedArtifact&, const kernel::StudyOpened& opened);

/// The imports that a text may cite: [@ara:NAME].
std::vector<kernel::Work> citable_imports(const std::string& home);

}  // namespace session
