#pragma once
// Transcripts as a unit of Open-Endedness Bench 1.0 (github.com/ARA-Labs/oeb): what the agents did and said, step by
// step, each step tagged by the kind of its tool, and the analyses of registered experiments as what came back.
// Thinking is left out, as that benchmark does. Pure.

#include <map>
#include <string>

#include "artifacts/transcripts/transcripts.h"
#include "base/redact.h"

namespace artifacts {

/// The benchmark's kind of a tool; `unknown` for a tool that it cannot place.
enum class ToolKind { shell, read, edit, delegate, bookkeeping, unknown };
ToolKind kind_of_tool(std::string_view tool);

/// File → bytes: record.jsonl, world.json, record_manifest.json and usage.json.
std::map<std::string, std::string> research_record(const Transcripts&, const kernel::Study&, const TranscriptSource&,
                                                   const kernel::Redactor&);

}  // namespace artifacts
