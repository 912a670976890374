#pragma once
// Where a metric's values come from: `from` in the study file.

#include <optional>

#include "kernel/domain/study_spec.h"
#include "studyfile/yaml/value.h"

namespace studyfile {

/// Empty, with a problem recorded, where it cannot be read.
std::optional<kernel::MetricSource> read_source(const Value&);

}  // namespace studyfile
