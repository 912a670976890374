#pragma once
// Encodes imported artifacts for the store and decodes them.

#include <string>
#include <string_view>

#include "kernel/domain/imported_artifact.h"

namespace kernel {

/// `read_import` throws nlohmann::json::exception if the text is no such record.
std::string record_of(const ImportedArtifact&);
ImportedArtifact read_import(std::string_view record);

}  // namespace kernel
