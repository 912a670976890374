#pragma once
// What an engineer is told at the beginning of a step of a search over code: the versions that there are and what
// became of them, those that the step begins with, and of one that fails why. Pure but for the blobs that it is given.

#include <functional>
#include <string>
#include <vector>

#include "kernel/state.h"

namespace agents {

/// What the line of work's step begins with; null: the line is none of a search over code.
const kernel::WorkspaceRecord* code_base(const kernel::Study&, const std::string& line);
/// "improve v3"
std::string code_about(const kernel::CodeStep&);

/// What of the study the step is told; `fetch`: of a blob.
std::string code_notes(const kernel::Study&, const std::string& line,
                       const std::function<std::string(const std::string& sha256)>& fetch);

/// The files that a diff names.
std::vector<std::string> files_in(const std::string& diff);

}  // namespace agents
