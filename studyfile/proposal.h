#pragma once
// Reads a single hypothesis that an agent proposes, by the rules of a study file.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace studyfile {

/// `text`: an item of `hypotheses`, as YAML or JSON. `known`: the existing hypotheses, whose ids must not be repeated.
/// The problem names no file.
kernel::Result<kernel::Hypothesis> read_proposal(const std::string& text, const kernel::StudySpec&,
                                                 const std::vector<kernel::Hypothesis>& known);

}  // namespace studyfile
