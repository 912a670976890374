#pragma once
// Finds files of a workspace that look like secrets: by name, as `.env`, or because a key is in them. Every job can
// read the workspace, and the artifact has it. Only reads; any thread.

#include <functional>
#include <string>
#include <vector>

#include "base/manifest.h"
#include "kernel/domain/records.h"

namespace memory {

struct SecretFile {
  std::string path;  ///< Below the workspace.
  std::string what;  ///< "by its name", or what is in it: "private key", "github token".
};

struct SecretScan {
  std::vector<SecretFile> files;      ///< Of the files that belong to the snapshot, in order.
  std::vector<std::string> warnings;  ///< As Walk::warnings.
  std::vector<std::string> paths;     ///< Of all that belongs to the snapshot.
  bool readable = false;              ///< If not, all is empty, and `freeze` says why.
};

/// Leaves out the files that the study allows. Looks at the first 64 KB of each file.
SecretScan secret_files(const kernel::WorkspaceSpec&, const std::string& home);

/// The same of a stored tree. `file_of` gives the path of the file with that SHA-256. `allowed`: .gitignore patterns.
std::vector<SecretFile> secrets_among(const std::vector<kernel::ManifestEntry>&,
                                      const std::function<std::string(const std::string& sha256)>& file_of,
                                      const std::vector<std::string>& allowed);

}  // namespace memory
