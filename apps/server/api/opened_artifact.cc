#include "apps/server/api/opened_artifact.h"

#include <filesystem>

#include "apps/server/access/access.h"
#include "artifacts/read/safe_root.h"
#include "base/manifest.h"
#include "memory/files/blobs.h"
#include "memory/workspace/snapshot.h"

namespace server {

namespace {

namespace fs = std::filesystem;

/// Whether it has anything of an artifact, so that no other folder is listed.
bool looks_like_artifact(const std::string& folder) {
  std::error_code error;
  for (const char* part : {"PAPER.md", "etude.json", "logic/claims.md", "trace/exploration_tree.yaml"})
    if (fs::exists(fs::path(folder) / part, error)) return true;
  return false;
}

/// The file of an import, as far as its blob is its content; none for links and what is no file.
std::optional<kernel::ManifestEntry> imported_file(const memory::Reader& reader, const std::string& name,
                                                   const std::string& path, const memory::Blobs& blobs) {
  if (!name.starts_with(kernel::foreign)) return std::nullopt;
  const auto import = reader.import(name);
  if (!import) return std::nullopt;
  auto entries = kernel::read_manifest(blobs.get(import->files));
  if (!entries) return std::nullopt;
  for (kernel::ManifestEntry& entry : *entries)
    if (entry.path == path && (entry.type == kernel::EntryType::file || entry.type == kernel::EntryType::executable))
      return std::move(entry);
  return std::nullopt;
}

}  // namespace

std::optional<OpenedArtifact> OpenedArtifact::open(Api& api, const std::string& name, Response& response) {
  const session::HomePaths& home = api.session.home();
  const memory::Reader reader(home.root);
  const auto refused = [&](int status, const std::string& title, const std::string& todo) {
    refuse(response, kernel::Problem{name, 0, "", title, todo}, status);
    return std::nullopt;
  };
  if (name.starts_with(kernel::foreign)) {
    const auto import = reader.import(name);
    if (!import) return refused(404, "this artifact was not imported", "the list of imports has their names");
    OpenedArtifact opened("", import->source);
    opened.made_ = std::make_unique<kernel::ScratchFolder>(kernel::ScratchFolder::in_tmp("etude-artifact-"));
    opened.folder_ = opened.made_->file("files");
    memory::materialise(kernel::WorkspaceHash(import->files), opened.folder_, memory::Blobs(home.blobs()));
    return opened;
  }
  std::string folder = name;
  if (!name.starts_with('/')) {
    const auto placed = artifact_or_404(reader, name, response);
    if (!placed) return std::nullopt;
    folder = *placed;
  } else if (api.access && api.access->read_only()) {
    return refused(403, "this server shows only artifacts of its home", "name a study or an imported artifact");
  }
  std::error_code error;
  if (!fs::exists(folder, error)) return refused(404, "there is no such folder", "name the folder of an artifact");
  if (!fs::is_directory(folder, error))
    return refused(422, "this is a file, not a folder", "name the folder of an artifact");
  if (!looks_like_artifact(folder))
    return refused(422,
                   "is no artifact: it has no PAPER.md, etude.json, logic/claims.md or trace/exploration_tree.yaml",
                   "name the folder of an artifact");
  return OpenedArtifact(folder, folder);
}

void answer_artifact_file(Api& api, const std::string& name, const std::string& path, Response& response) {
  constexpr const char* too_large = "the file is larger than 64 MB";
  const session::HomePaths& home = api.session.home();
  const memory::Blobs blobs(home.blobs());
  if (const auto entry = imported_file(memory::Reader(home.root), name, path, blobs)) {
    if (entry->bytes > largest_file) return refuse(response, 413, too_large);
    return answer_file(response, blobs.get(entry->sha256), path);
  }
  const auto opened = OpenedArtifact::open(api, name, response);
  if (!opened) return;
  const auto root = artifacts::SafeRoot::open(opened->folder());
  if (!root) return refuse(response, root.problem());
  artifacts::FileBytes file = path.find('\0') == path.npos ? root->read(path, largest_file) : artifacts::FileBytes();
  if (file.too_large) return refuse(response, 413, too_large);
  if (!file.whole()) return refuse(response, 404, "the artifact has no file " + path);
  answer_file(response, std::move(file.bytes), path);
}

}  // namespace server
