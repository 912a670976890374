#pragma once
// How far apart is enough: `margin` and `smallest_effect`, and which margins make sense for a direction.

#include <optional>

#include "kernel/study_spec.h"
#include "studyfile/value.h"

namespace studyfile {

std::optional<kernel::Margin> read_margin(const Value&);
std::optional<kernel::SmallestEffect> read_smallest_effect(const Value&);

/// A direction together with what its margin may be; `margin` is where it is given, `test` where it is not.
struct MarginUse {
  kernel::Direction direction;
  bool slope = false;
  kernel::Goal goal = kernel::Goal::minimize;
};
void check_margin(const std::optional<kernel::Margin>&, const MarginUse&, const Fields& test);

}  // namespace studyfile
