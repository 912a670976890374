#include "memory/store/event_blobs.h"

#include "base/manifest.h"

namespace memory {

namespace {

const char* words_for(FolderUse use) {
  switch (use) {
    case FolderUse::workspace:
      return "its workspace";
    case FolderUse::code_version:
      return "a version of its code";
    case FolderUse::setup:
      return "what its environment is set up from";
    case FolderUse::scoring:
      return "its evaluator's code";
    case FolderUse::evaluator_data:
      return "its evaluator's data";
  }
  return "";
}

}  // namespace

std::vector<NamedFolder> folders_of(const kernel::Event& event) {
  std::vector<NamedFolder> folders;
  const auto add = [&](FolderUse use, const std::string& hash) {
    if (!hash.empty()) folders.push_back({use, hash});
  };
  if (const auto* opened = std::get_if<kernel::StudyOpened>(&event.body)) {
    for (const kernel::CodeVersion& version : opened->versions) add(FolderUse::code_version, version.workspace.hash);
    if (opened->set_up_from) add(FolderUse::setup, opened->set_up_from->hash);
    if (opened->scoring) add(FolderUse::scoring, opened->scoring->hash);
    add(FolderUse::evaluator_data, opened->sealed_manifest);
    add(FolderUse::workspace, opened->workspace.hash);
  } else if (const auto* amended = std::get_if<kernel::WorkspaceAmended>(&event.body)) {
    if (amended->setup) add(FolderUse::setup, amended->setup->workspace.hash);
    add(FolderUse::workspace, amended->workspace.hash);
  } else if (const auto* queued = std::get_if<kernel::RunsQueued>(&event.body)) {
    if (queued->order) add(FolderUse::workspace, queued->order->workspace.hash);
  } else if (const auto* written = std::get_if<kernel::CodeProposed>(&event.body)) {
    add(FolderUse::workspace, written->version.workspace.hash);
  }
  return folders;
}

bool may_name_folders(const kernel::StoredEvent& event) {
  if (event.type == "RunsQueued") return event.payload.find("\"order\"") != std::string::npos;
  return event.type == "StudyOpened" || event.type == "WorkspaceAmended" || event.type == "CodeProposed";
}

void EventBlobs::name(const std::string& sha256, std::int64_t bytes, const std::string& by) {
  if (!sha256.empty()) named_.try_emplace(sha256, Named{by, bytes});
}

std::optional<std::string> EventBlobs::add(const kernel::Event& event, const std::string& by) {
  const auto named = [&](const kernel::BlobRef& ref) { name(ref.sha256, ref.bytes, by); };
  if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body)) {
    for (const kernel::BlobRef* ref : {&ended->measurement.metrics, &ended->out_log, &ended->err_log}) named(*ref);
    for (const kernel::OutputFile& file : ended->outputs) named(file.blob);
  }
  if (const auto* asked = std::get_if<kernel::ModelAsked>(&event.body)) named(asked->request);
  if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) named(answered->end.reply);
  if (const auto* returned = std::get_if<kernel::ToolReturned>(&event.body)) named(returned->answer.answer);
  if (const auto* written = std::get_if<kernel::CodeProposed>(&event.body)) named(written->version.diff);
  if (const auto* opened = std::get_if<kernel::StudyOpened>(&event.body))
    for (const kernel::Paper& paper : opened->spec.literature.papers) name(paper.text, -1, by);
  for (const NamedFolder& folder : folders_of(event))
    if (const auto problem = add_listed(folder.hash, by, folder.use == FolderUse::workspace))
      return std::string(words_for(folder.use)) + ": " + *problem;
  return std::nullopt;
}

std::optional<std::string> EventBlobs::add_folder(const std::string& manifest, const std::string& by) {
  return add_listed(manifest, by, false);
}

std::optional<std::string> EventBlobs::add_listed(const std::string& folder, const std::string& by, bool is_workspace) {
  name(folder, -1, by);
  try {
    const auto manifest = kernel::read_manifest(blobs_.get(folder));
    if (!manifest) return manifest.problem().text();
    if (is_workspace) frozen_.insert(folder);
    for (const kernel::ManifestEntry& entry : *manifest) name(entry.sha256, entry.bytes, by);
  } catch (const StoreFault&) {
    // A missing or damaged blob is reported where the blobs are read.
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
