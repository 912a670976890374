#pragma once
// Levels of a factor, plain or as named bundles, as written in the file; and single values such as constants.

#include <optional>

#include "kernel/domain/study_spec.h"
#include "studyfile/yaml/value.h"

namespace studyfile {

/// The value as written, and its number unless it is quoted.
std::optional<kernel::Scalar> read_scalar(const Value&);

/// Fills `factor.levels` and `factor.type`. Returns false, with problems recorded, if not all could be read.
bool read_levels(const Value& levels, const std::optional<Value>& type, kernel::Factor& factor);

}  // namespace studyfile
