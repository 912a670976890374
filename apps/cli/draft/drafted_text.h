#pragma once
// The study file of a draft.

#include <string>
#include <vector>

#include "apps/cli/draft/study_draft.h"

namespace cli {

/// The text of study.yaml for a command, which loads. `place` without `ignored`; `home` is left out of the workspace.
/// The problem: none can be made of the command, or what was made does not load.
kernel::Result<std::string> drafted_text(const std::string& command, DraftPlace place, const std::string& home);

/// The lines of a drafted text, counted from 1, at which a person has to decide what could not be told.
std::vector<int> lines_to_decide(const std::string& text);

}  // namespace cli
