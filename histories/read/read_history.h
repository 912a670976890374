#pragma once
// Reads the history of somebody's search from its files: a results.tsv in a git repository, an SQLite database, run
// folders, journals and checkpoints. Recognises which program wrote them. Only reads, and runs nothing of theirs.
// Formats: docs/confirm.md.

#include <string>

#include "base/result.h"
#include "histories/read/history.h"

namespace histories {

/// `path`: a folder or a file. A problem names what is not as it must be, and nothing was written. Without a goal, the
/// problem asks for it.
kernel::Result<History> read_history(const std::string& path, const Asked&);

}  // namespace histories
