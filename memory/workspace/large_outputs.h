#pragma once
// Which outputs are kept as they are: patterns as in .gitignore, below the output folder. Pure.

#include <functional>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace memory {

/// A pattern without a slash is for names at any depth; one that matches a folder is for everything below it.
std::function<bool(const std::string& path)> matching(const std::vector<std::string>& patterns);

/// The first rule that the path is for; null: none.
const kernel::LargeOutput* large_output(const std::vector<kernel::LargeOutput>&, const std::string& path);

}  // namespace memory
