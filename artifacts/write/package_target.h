#pragma once
// Where an artifact goes: what may be replaced, and how a finished folder takes its place in one step. Knows nothing of
// what is in it beyond etude.json and the names of its files.

#include <filesystem>
#include <string>

#include "base/result.h"

namespace artifacts {

/// True where `folder` is absent, empty, or an artifact of ours that holds only what we wrote; a file more, or an
/// annotated page, is a problem that names it. So is a place where no folder can be made: that is tried.
kernel::Result<bool> may_replace(const std::string& folder);

/// Absolute, without a final slash, links followed as far as the path exists.
std::filesystem::path placed(const std::string& folder);
/// `made` becomes `target`, which is absent, empty or an artifact; both lie in one folder. Faults throw.
void swap_in(const std::filesystem::path& made, const std::filesystem::path& target);

}  // namespace artifacts
