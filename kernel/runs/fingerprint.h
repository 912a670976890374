#pragma once
// The fingerprint of a failure: equal for failures of one cause. Pure.

#include <string>
#include <string_view>

#include "kernel/domain/records.h"

namespace kernel {

/// How the job ended, and its last line on stderr with every number replaced by `#`, or the reason of a failed
/// measurement in the same form. At most one line, for display and comparison.
std::string fingerprint(const JobOutcome&, const Measurement&, std::string_view err);

}  // namespace kernel
