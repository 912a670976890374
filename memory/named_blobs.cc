#include "memory/named_blobs.h"

#include "kernel/manifest.h"

namespace memory {

void EventBlobs::name(const std::string& sha256, std::int64_t bytes, const std::string& by) {
  if (!sha256.empty()) named_.try_emplace(sha256, Named{by, bytes});
}

std::optional<std::string> EventBlobs::add(const kernel::Event& event, const std::string& by) {
  if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body)) {
    for (const kernel::BlobRef* ref : {&ended->measurement.metrics, &ended->out_log, &ended->err_log})
      name(ref->sha256, ref->bytes, by);
    for (const kernel::OutputFile& file : ended->outputs) name(file.blob.sha256, file.blob.bytes, by);
  }
  const auto named = [&](const kernel::BlobRef& ref) { name(ref.sha256, ref.bytes, by); };
  if (const auto* asked = std::get_if<kernel::ModelAsked>(&event.body)) named(asked->request);
  if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) named(answered->end.reply);
  if (const auto* returned = std::get_if<kernel::ToolReturned>(&event.body)) named(returned->answer.answer);
  const auto* opened = std::get_if<kernel::StudyOpened>(&event.body);
  const auto* amended = std::get_if<kernel::WorkspaceAmended>(&event.body);
  const auto* queued = std::get_if<kernel::RunsQueued>(&event.body);
  const auto* written = std::get_if<kernel::CodeProposed>(&event.body);
  if (written) named(written->version.diff);
  const bool ordered = queued && queued->order;
  if (!opened && !amended && !ordered && !written) return std::nullopt;
  const std::string& workspace = opened    ? opened->workspace.hash
                                 : amended ? amended->workspace.hash
                                 : written ? written->version.workspace.hash
                                           : queued->order->workspace.hash;
  if (workspace.empty()) return std::nullopt;
  name(workspace, -1, by);
  if (opened)
    for (const kernel::CodeVersion& version : opened->versions)
      if (const auto problem = add_folder(version.workspace.hash, by)) return "a version of its code: " + *problem;
  if (amended && amended->setup)
    if (const auto problem = add_folder(amended->setup->workspace.hash, by))
      return "what its environment is set up from: " + *problem;
  if (opened && opened->set_up_from)
    if (const auto problem = add_folder(opened->set_up_from->hash, by))
      return "what its environment is set up from: " + *problem;
  if (opened && opened->scoring)
    if (const auto problem = add_folder(opened->scoring->hash, by)) return "its evaluator's code: " + *problem;
  if (opened)
    for (const kernel::Paper& paper : opened->spec.literature.papers) name(paper.text, -1, by);
  if (opened)
    if (std::optional<std::string> problem = add_sealed(*opened, by)) return problem;
  try {
    const auto manifest = kernel::read_manifest(blobs_.get(workspace));
    if (!manifest) return "its workspace: " + manifest.problem().text();
    frozen_.insert(workspace);
    for (const kernel::ManifestEntry& entry : *manifest) name(entry.sha256, entry.bytes, by);
  } catch (const StoreFault&) {
    // Said by whoever reads the blobs.
  }
  return std::nullopt;
}

/// Copies of what only the evaluator reads.
std::optional<std::string> EventBlobs::add_sealed(const kernel::StudyOpened& opened, const std::string& by) {
  if (opened.sealed_manifest.empty()) return std::nullopt;
  const auto problem = add_folder(opened.sealed_manifest, by);
  return problem ? std::optional("its evaluator's data: " + *problem) : std::nullopt;
}

std::optional<std::string> EventBlobs::add_folder(const std::string& folder, const std::string& by) {
  name(folder, -1, by);
  try {
    const auto manifest = kernel::read_manifest(blobs_.get(folder));
    if (!manifest) return manifest.problem().text();
    for (const kernel::ManifestEntry& entry : *manifest) name(entry.sha256, entry.bytes, by);
  } catch (const StoreFault&) {
    // Said by whoever reads the blobs.
  }
  return std::nullopt;
}

void each_mentioned(std::string_view text, const std::function<void(std::string_view sha256)>& each) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end - at == 64) each(text.substr(at, 64));
    at = end + 1;
  }
}

}  // namespace memory
