#pragma once
// The source of a metric's values: `from` in the study file.

#include <optional>

#include "kernel/domain/study_spec.h"
#include "studyfile/yaml/value.h"

namespace studyfile {

/// Empty, with a problem recorded, if it cannot be read.
std::optional<kernel::MetricSource> read_source(const Value&);

}  // namespace studyfile
