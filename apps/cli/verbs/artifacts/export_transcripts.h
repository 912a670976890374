#pragma once
// What `export` writes of the conversations of a study's agents. Their texts are blobs of the home.

#include <map>
#include <string>

#include "apps/cli/terminal/command_context.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/transcripts/transcripts.h"
#include "base/result.h"

namespace cli {

/// The Agent Trajectory Interchange Format, or a unit of Open-Endedness Bench.
enum class TranscriptFormat { atif, oeb };

/// The texts of conversations, which are blobs of the home.
artifacts::FetchText texts_of(const Context&);

/// Path → bytes, without the keys that the configuration names.
kernel::Result<std::map<std::string, std::string>> transcript_files(const Context&, const artifacts::SafeRoot&,
                                                                    TranscriptFormat);

}  // namespace cli
