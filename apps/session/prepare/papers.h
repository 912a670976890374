#pragma once
// Reads the corpus of a study when the study is prepared: hashes every PDF, Markdown and plain text file below the
// folder and stores its text as a blob. The text of a file that an earlier study of the home read is reused.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/literature.h"
#include "memory/files/blobs.h"

namespace session {

/// The papers by path; none for an empty folder name. `environment`: its PATH is used to find programs. A problem for a
/// link, and for a file that is unreadable, too large, encrypted or without text.
kernel::Result<std::vector<kernel::Paper>> read_papers(const std::string& home, memory::Blobs&,
                                                       const std::string& folder,
                                                       const std::map<std::string, std::string>& environment);

}  // namespace session
