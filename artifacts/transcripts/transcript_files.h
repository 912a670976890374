#pragma once
// The conversations of an artifact's agents as files of another format.

#include <map>
#include <string>

#include "artifacts/read/safe_root.h"
#include "artifacts/transcripts/transcripts.h"
#include "base/redact.h"

namespace artifacts {

/// The Agent Trajectory Interchange Format, or a unit of Open-Endedness Bench.
enum class TranscriptFormat { atif, oeb };

/// Path → bytes, without keys. `fetch`: their texts, from the home in which the study ran. The problem: no artifact of
/// etude, a broken record, or texts that the home lacks.
kernel::Result<std::map<std::string, std::string>> transcript_files(const SafeRoot&, const FetchText& fetch,
                                                                    const kernel::Redactor&, TranscriptFormat);

}  // namespace artifacts
