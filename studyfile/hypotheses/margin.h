#pragma once
// How large a difference must be: `margin` and `smallest_effect`, and which margins fit a direction.

#include <optional>

#include "kernel/domain/study_spec.h"
#include "studyfile/yaml/value.h"

namespace studyfile {

std::optional<kernel::Margin> read_margin(const Value&);
std::optional<kernel::SmallestEffect> read_smallest_effect(const Value&);

/// What decides whether a margin is meaningful.
struct MarginUse {
  kernel::Direction direction;
  kernel::Goal goal = kernel::Goal::minimize;
  std::optional<double> slope;  ///< The value that a slope is compared with; empty for comparisons.
  bool log = false;             ///< Means are compared on a logarithmic scale.
};
/// Records what is wrong with the `margin` of `test`, or that it is missing.
void check_margin(const std::optional<kernel::Margin>&, const MarginUse&, const Fields& test);

}  // namespace studyfile
