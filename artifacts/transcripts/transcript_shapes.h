#pragma once
// Transcripts as JSON for people's programs: `etude conversation --json` and the HTTP API.

#include <nlohmann/json_fwd.hpp>

#include "artifacts/transcripts/transcripts.h"
#include "base/redact.h"

namespace artifacts {

/// All tokens that the conversation's calls used.
std::int64_t tokens_of(const Transcript&);
/// Dollars; without calls of models whose price is not known.
double usd_of(const Transcript&);

/// "system", "user" or "agent".
const char* name(SpokenBy);

/// {"line","role","steps": number of steps,"tokens","usd","unanswered","ended","ending"}, texts without keys.
nlohmann::json summary_shape(const Transcript&, const kernel::Redactor&);
/// The same with the steps from number `from` on, counted from 0.
nlohmann::json transcript_shape(const Transcript&, std::size_t from, const kernel::Redactor&);

}  // namespace artifacts
