#pragma once
// Deletes folders that somebody else filled: a job may take away permissions or nest folders deeper than a process may
// open. Links are not followed. Any thread; nothing else may write into the folder meanwhile.

#include <string>

namespace kernel {

/// Deletes everything below `path`, which is relative to the open folder `folder` (AT_FDCWD: to the working directory),
/// but not `path` itself. False if something is left, or if it is no folder.
bool remove_contents(int folder, const char* path);

/// Deletes the file or folder. False if it is left.
bool remove_tree(const std::string& path);

}  // namespace kernel
