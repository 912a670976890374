#pragma once
// Finds lines of code that read the run's parameters, seed or token from the environment, read a clock, or sleep. Reads
// words, no syntax: what it names may never be executed, and code that hides its words is not found. Pure.

#include <functional>
#include <string_view>
#include <vector>

#include "kernel/domain/frozen_inputs.h"

namespace memory {

/// Lines of one kind that a workspace's record names at most.
inline constexpr std::size_t most_code_reads = 5;

/// `by_agent`: whether an agent wrote a line. `CodeLine::reported` follows names that are assigned from such a line to
/// a line that writes a metric or sets a seed. Comments do not count. Empty for files that hold no code.
std::vector<kernel::CodeLine> code_reads(std::string_view path, std::string_view text,
                                         const std::function<bool(std::string_view line)>& by_agent);

/// Adds those lines to the record, at most `most_code_reads` of a kind and author.
void add_code_reads(kernel::WorkspaceRecord&, std::vector<kernel::CodeLine>);

}  // namespace memory
