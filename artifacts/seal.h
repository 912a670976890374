#pragma once
// etude.json: what a machine needs to check an artifact or to run it again. docs/etude-json.md gives its shape.

#include <string>

#include "artifacts/package.h"
#include "artifacts/staging.h"

namespace artifacts {

inline constexpr int seal_version = 1;

/// The file's bytes. `events`: how many lines trace/events.jsonl has.
std::string seal(const PackageInput&, const Staging&, long long events);

/// Does this look like the start of an etude.json that we wrote?
bool is_seal(std::string_view start);

}  // namespace artifacts
