#pragma once
// Finds files of a workspace that look like secrets: by name, as `.env`, or because a key is in them. Every job can
// read the workspace, and the artifact has it. Only reads; any thread.

#include <string>
#include <vector>

#include "kernel/domain/records.h"

namespace memory {

struct SecretFile {
  std::string path;  ///< Below the workspace.
  std::string what;  ///< "by its name", or what is in it: "private key", "github token".
};

struct SecretScan {
  std::vector<SecretFile> files;      ///< Of the files that belong to the snapshot, in order.
  std::vector<std::string> warnings;  ///< As Walk::warnings.
};

/// Looks at the first 64 KB of each file. Empty if the workspace cannot be frozen; `freeze` says why.
SecretScan secret_files(const kernel::WorkspaceSpec&, const std::string& home);

}  // namespace memory
