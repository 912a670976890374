#pragma once
// Imports an artifact into the memory of a home: its claims, dead ends, concepts and evidence for `recall`, its files
// as blobs. Reads only below the artifact's root, and trusts nothing in it.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/session/home/home.h"
#include "base/result.h"
#include "kernel/domain/imported_artifact.h"
#include "memory/files/blobs.h"

namespace session {

struct ImportRequest {
  std::string path;
  std::string name;             ///< "ara:NAME"; empty for the folder's name.
  bool despite_errors = false;  ///< Imports even if `etude check` finds errors.
};

/// Read and copied into blobs, but not recorded.
struct ArtifactCopy {
  kernel::ImportedArtifact artifact;
  std::int64_t files = 0, bytes = 0;
  std::vector<std::string> left_out;  ///< Files that were not copied, each with the reason.
};

/// `blobs`: null to copy nothing. A problem if there is no folder, `etude check` finds errors, or it is too large (4
/// GiB, 200,000 files).
kernel::Result<ArtifactCopy> copy_artifact(const ImportRequest&, memory::Blobs* blobs);

struct Import {
  std::string id, title;
  bool already = false;  ///< The same files were imported before.
  std::map<std::string, int> items;
  std::int64_t files = 0, bytes = 0, errors = 0, warnings = 0;
  std::vector<std::string> left_out;
};
Import import_of(const ArtifactCopy&, std::string id, bool already);
/// {"id","title","already","items":{kind: count},"files","bytes","errors","warnings","left_out":[…]}
nlohmann::json import_shape(const Import&);
Import import_in(const nlohmann::json& shape);

}  // namespace session
