#pragma once
// Transcripts as trajectories in the Agent Trajectory Interchange Format (ATIF, Harbor's RFC 0001), version 1.7. Pure.

#include <map>
#include <string>

#include "artifacts/transcripts/transcripts.h"
#include "base/redact.h"

namespace artifacts {

/// File → JSON: one file for each conversation, named by its line.
std::map<std::string, std::string> trajectories(const Transcripts&, const kernel::StudyTerms&, const TranscriptSource&,
                                                const kernel::Redactor&);

}  // namespace artifacts
