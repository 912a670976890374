#include "apps/cli/verbs/artifacts/export_transcripts.h"

#include <nlohmann/json.hpp>

#include "apps/session/control/redact_commands.h"
#include "apps/session/home/home.h"
#include "artifacts/transcripts/research_record.h"
#include "artifacts/transcripts/trajectories.h"
#include "artifacts/write/etude_json.h"
#include "memory/files/blobs.h"

namespace cli {

namespace {

/// The version of the program that wrote the artifact.
std::string tool_version(const artifacts::SafeRoot& root) {
  const artifacts::FileBytes read = root.read(artifacts::etude_json_file, artifacts::largest_etude_json);
  const auto seal = nlohmann::json::parse(read.bytes, nullptr, false);
  if (!seal.is_object() || !seal.value("tool", nlohmann::json()).is_string()) return "unknown";
  const std::string tool = seal["tool"].get<std::string>(), name = "etude ";
  return tool.starts_with(name) ? tool.substr(name.size()) : tool;
}

}  // namespace

artifacts::FetchText texts_of(const Context& context) {
  const auto blobs = std::make_shared<const memory::Blobs>(session::HomePaths{context.home()}.blobs());
  return [blobs](const std::string& sha256) -> std::optional<std::string> {
    if (!memory::is_blob_name(sha256) || !blobs->exists(sha256)) return std::nullopt;
    return blobs->get(sha256);
  };
}

kernel::Result<std::map<std::string, std::string>> transcript_files(const Context& context,
                                                                    const artifacts::SafeRoot& root,
                                                                    TranscriptFormat format) {
  const auto read = artifacts::read_transcripts(root, texts_of(context));
  if (!read) return read.problem();
  const artifacts::TranscriptSource source{read->log.head, tool_version(root)};
  const kernel::Redactor redact = session::redactor_for(context.config_option);
  return format == TranscriptFormat::atif
             ? artifacts::trajectories(read->transcripts, read->log.study, source, redact)
             : artifacts::research_record(read->transcripts, read->log.study, source, redact);
}

}  // namespace cli
