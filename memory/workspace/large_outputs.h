#pragma once
// Which outputs are kept as hard links: patterns as in .gitignore, below the output folder. Pure.

#include <functional>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace memory {

/// A pattern without a slash matches names at any depth; a pattern that matches a folder covers everything below it.
std::function<bool(const std::string& path)> matching(const std::vector<std::string>& patterns);

/// The first rule that matches the path; null if none does.
const kernel::LargeOutput* large_output(const std::vector<kernel::LargeOutput>&, const std::string& path);

}  // namespace memory
