#pragma once
// Encodes and decodes events and other stored values. Bytes are canonical: sorted keys, no spaces, shortest numbers.

#include <string>
#include <string_view>

#include "kernel/domain/event.h"
#include "kernel/domain/imported_artifact.h"

namespace kernel {

/// The name of the alternative, e.g. "RunEnded".
std::string_view type_name(const EventBody&);
std::string encode(const EventBody&);
/// Decodes events of this and older versions. Throws std::runtime_error with type and version for any other bytes.
EventBody decode(std::string_view type, int version, std::string_view payload);

/// Canonical bytes of a registration; its SHA-256 is the registration's hash.
std::string canonical(const Registration&);
std::string canonical(const SearchPlan&);
std::string canonical(const EnvironmentRecord&);

/// `read_import` throws nlohmann::json::exception if the text is no such record.
std::string record_of(const ImportedArtifact&);
ImportedArtifact read_import(std::string_view record);

}  // namespace kernel
