#pragma once
// An artifact that somebody made, taken into the memory of a home: its claims, dead ends, concepts and evidence to be
// found again, its files as blobs. Reads beneath the artifact's root only, and believes nothing of it.

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
  std::string name;             ///< "ara:NAME"; empty: after its folder.
  bool despite_errors = false;  ///< Where `etude check` finds errors, too.
};

/// Read and copied into blobs; nothing is recorded of it.
struct ArtifactCopy {
  kernel::ImportedArtifact artifact;
  std::int64_t files = 0, bytes = 0;
  std::vector<std::string> left_out;  ///< Files, each with why.
};

/// `blobs`: null where it is only looked at. A Problem: no folder, errors that `etude check` finds, or more than a home
/// should take: 4 GiB, 200,000 files.
kernel::Result<ArtifactCopy> copy_artifact(const ImportRequest&, memory::Blobs* blobs);

struct Import {
  std::string id, title;
  bool already = false;  ///< The same files were there before.
  std::map<std::string, int> items;
  std::int64_t files = 0, bytes = 0, errors = 0, warnings = 0;
  std::vector<std::string> left_out;
};
Import import_of(const ArtifactCopy&, std::string id, bool already);
/// {"id","title","already","items":{kind: how many},"files","bytes","errors","warnings","left_out":[…]}
nlohmann::json import_shape(const Import&);
Import import_in(const nlohmann::json& shape);

}  // namespace session
