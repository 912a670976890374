#include "artifacts/transcripts/transcript_files.h"

#include <nlohmann/json.hpp>

#include "artifacts/transcripts/research_record.h"
#include "artifacts/transcripts/trajectories.h"
#include "artifacts/write/etude_json.h"

namespace artifacts {

namespace {

/// The version of the program that wrote the artifact.
std::string tool_version(const SafeRoot& root) {
  const FileBytes read = root.read(etude_json_file, largest_etude_json);
  const auto seal = nlohmann::json::parse(read.bytes, nullptr, false);
  if (!seal.is_object() || !seal.value("tool", nlohmann::json()).is_string()) return "unknown";
  const std::string tool = seal["tool"].get<std::string>(), name = "etude ";
  return tool.starts_with(name) ? tool.substr(name.size()) : tool;
}

}  // namespace

kernel::Result<std::map<std::string, std::string>> transcript_files(const SafeRoot& root, const FetchText& fetch,
                                                                    const kernel::Redactor& redact,
                                                                    TranscriptFormat format) {
  const auto read = read_transcripts(root, fetch);
  if (!read) return read.problem();
  const TranscriptSource source{read->log.head, tool_version(root)};
  return format == TranscriptFormat::atif ? trajectories(read->transcripts, read->log.study, source, redact)
                                          : research_record(read->transcripts, read->log.study, source, redact);
}

}  // namespace artifacts
