#include "memory/store/event_blobs.h"

#include "base/manifest.h"

namespace memory {

namespace {

using kernel::FolderUse;

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

void EventBlobs::name(const std::string& sha256, std::int64_t bytes, const std::string& by) {
  if (!sha256.empty()) named_.try_emplace(sha256, Named{by, bytes});
}

std::optional<std::string> EventBlobs::add(const kernel::Event& event, const std::string& by) {
  struct Names : kernel::EventReferences {
    void blob(const std::string& sha256, std::int64_t bytes) override { blobs.name(sha256, bytes, by); }
    void folder(FolderUse use, const std::string& manifest) override {
      if (problem) return;
      if (const auto found = blobs.add_listed(manifest, by, use == FolderUse::workspace))
        problem = std::string(words_for(use)) + ": " + *found;
    }
    Names(EventBlobs& all, const std::string& event_words) : blobs(all), by(event_words) {}

    EventBlobs& blobs;
    const std::string& by;
    std::optional<std::string> problem;
  } names(*this, by);
  kernel::each_reference(event.body, names);
  return names.problem;
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
