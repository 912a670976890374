#pragma once
// The corpus of a study as it is when the study is prepared: every PDF, Markdown or plain text file below the folder,
// its bytes hashed, its text in a blob. What an earlier study of the home has read is not read again.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/literature.h"
#include "memory/files/blobs.h"

namespace session {

/// By path; of an empty folder name none. `environment`: programs are found by its PATH. A problem: a file that cannot
/// be read, is too large, encrypted or without text, or a link.
kernel::Result<std::vector<kernel::Paper>> read_papers(const std::string& home, memory::Blobs&,
                                                       const std::string& folder,
                                                       const std::map<std::string, std::string>& environment);

}  // namespace session
