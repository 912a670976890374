#include "apps/server/api/opened_artifact.h"

#include <filesystem>

#include "apps/server/access/access.h"
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
    const auto study = study_or_404(reader, name, response);
    if (!study) return std::nullopt;
    if (!study->at("artifact").is_string()) return refused(404, "the study has no artifact yet", "wait until it ends");
    folder = study->at("artifact");
  } else if (api.access && api.access->read_only()) {
    return refused(403, "this server shows only artifacts of its home", "name a study or an imported artifact");
  }
  std::error_code error;
  if (!fs::is_directory(folder, error)) return refused(422, "is no folder", "name the folder of an artifact");
  if (!looks_like_artifact(folder))
    return refused(422,
                   "is no artifact: it has no PAPER.md, etude.json, logic/claims.md or trace/exploration_tree.yaml",
                   "name the folder of an artifact");
  return OpenedArtifact(folder, folder);
}

}  // namespace server
