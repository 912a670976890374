#pragma once
// What two failures of one cause have in common. Pure.

#include <string>
#include <string_view>

#include "kernel/domain/records.h"

namespace kernel {

/// How the job ended, and the last line it wrote to stderr with every number made `#`; where a measurement was at
/// fault, its reason likewise. At most a line; for people, and to be compared.
std::string fingerprint(const JobOutcome&, const Measurement&, std::string_view err);

}  // namespace kernel
