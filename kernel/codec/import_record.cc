#include "kernel/codec/import_record.h"

#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"

namespace kernel {

std::string record_of(const ImportedArtifact& artifact) {
  return nlohmann::json(artifact).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ImportedArtifact read_import(std::string_view record) {
  return nlohmann::json::parse(record).get<ImportedArtifact>();
}

}  // namespace kernel
