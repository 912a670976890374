#pragma once
// A factor's levels, plain or as named bundles, in the author's spelling; and single values such as constants.

#include <optional>

#include "kernel/domain/study_spec.h"
#include "studyfile/yaml/value.h"

namespace studyfile {

/// The author's spelling, and the number it denotes unless it is quoted.
std::optional<kernel::Scalar> read_scalar(const Value&);

/// Fills `factor.levels` and `factor.type`; false where not all could be read, with problems recorded.
bool read_levels(const Value& levels, const std::optional<Value>& type, kernel::Factor& factor);

}  // namespace studyfile
