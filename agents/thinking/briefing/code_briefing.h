#pragma once
// What an engineer is told at the beginning of a step of a search over code: the versions and their results, the
// version that the step starts from, and why it failed if it did. Pure except for reading blobs.

#include <functional>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace agents {

/// The version that a conversation with this subject reviews; null if it reviews none.
const kernel::CodeVersion* version_meant(const kernel::Study&, const std::string& about);
/// The workspace that the step starts from, or that of the version under review; null if the conversation belongs to no
/// search over code.
const kernel::WorkspaceRecord* code_base(const kernel::Study&, const std::string& line, const std::string& about);
/// Such as "improve v3".
std::string code_about(const kernel::CodeStep&);

/// What a step or a review of a search over code is told about the study; empty for other conversations. `fetch` reads
/// a blob.
std::string code_notes(const kernel::Study&, const std::string& line, const std::string& about,
                       const std::function<std::string(const std::string& sha256)>& fetch);

/// The files that a diff names.
std::vector<std::string> files_in(const std::string& diff);

}  // namespace agents
