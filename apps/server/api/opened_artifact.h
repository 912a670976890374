#pragma once
// An artifact that a client names: a folder, the artifact of a study, or an imported one, whose files are written into
// a temporary folder as long as the object lives. Also single files. Reads the store; any thread. Include httplib
// first.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "base/scratch_folder.h"

namespace server {

class OpenedArtifact {
 public:
  /// `name`: an absolute path, a study's id or "ara:NAME". A server that only shows opens no other folders. None if
  /// there is no such artifact; then the refusal was sent. Throws StoreFault if files of an import are missing.
  static std::optional<OpenedArtifact> open(Api&, const std::string& name, Response&);

  const std::string& folder() const { return folder_; }
  /// Where the artifact lies, or lay when it was imported.
  const std::string& source() const { return source_; }

 private:
  OpenedArtifact(std::string folder, std::string source) : folder_(std::move(folder)), source_(std::move(source)) {}

  std::string folder_, source_;
  std::unique_ptr<kernel::ScratchFolder> made_{};  ///< Null unless it was imported.
};

/// Answers with one file of the artifact, or a refusal. Of an import it reads only this file.
void answer_artifact_file(Api&, const std::string& name, const std::string& path, Response&);

}  // namespace server
