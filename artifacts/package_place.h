#pragma once
// Where an artifact goes: what may be replaced, and how a finished folder takes its place in one step. Knows nothing of
// what is in it beyond etude.json and the names of its files.

#include <filesystem>
#include <string>

namespace artifacts {

/// Absolute, without a final slash, links followed as far as the path exists.
std::filesystem::path placed(const std::string& folder);
/// `made` becomes `target`, which is absent, empty or an artifact; both lie in one folder. Faults throw.
void swap_in(const std::filesystem::path& made, const std::filesystem::path& target);

}  // namespace artifacts
