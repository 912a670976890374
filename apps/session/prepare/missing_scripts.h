#pragma once
// Scripts that a study's commands name and that the workspace does not have. Reports only words that certainly mean a
// file of the workspace. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace session {

/// The file of the workspace that the command's first program is or runs: `train.py` of `python3 -u train.py --lr
/// {lr}`, `run.sh` of `./run.sh`, `src/train.py` of `cd src && torchrun train.py`. Empty if a placeholder, quoting, an
/// unknown option or a program before it leaves a doubt.
std::string script_of(const kernel::CommandTemplate&);

/// A warning for each stage whose script is not there. `entries`: paths of the workspace's files and links. None if the
/// study's set-up or its agents may write code.
std::vector<kernel::Problem> missing_scripts(const kernel::StudySpec&, const std::vector<std::string>& entries);

}  // namespace session
