#pragma once
// A single hypothesis as an agent proposes it: read and refused as one that stands in a study file would be.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace studyfile {

/// `text`: an item of `hypotheses`, as YAML or JSON. `known`: those that are there; ids are not repeated. The problem
/// names no file.
kernel::Result<kernel::Hypothesis> read_proposal(const std::string& text, const kernel::StudySpec&,
                                                 const std::vector<kernel::Hypothesis>& known);

}  // namespace studyfile
