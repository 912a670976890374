#pragma once
// Imported artifacts as the store keeps them.

#include <string>
#include <string_view>

#include "kernel/domain/imported_artifact.h"

namespace kernel {

/// As it is stored, and back; throws nlohmann::json::exception for what is no record.
std::string record_of(const ImportedArtifact&);
ImportedArtifact read_import(std::string_view record);

}  // namespace kernel
