#pragma once
// How a hypothesis is judged: its direction and margin, and the keys that may be in `test` or next to it.

#include <optional>

#include "studyfile/draft/draft.h"

namespace studyfile {

/// Where each key is given; a key that is given twice is a problem.
struct JudgementKeys {
  JudgementKeys(const Fields& item, const Fields& test);
  std::optional<Value> smallest_effect, method, over, requirements;
};

/// Records a problem if it is missing.
std::optional<kernel::Direction> read_direction(const Fields& test, bool slope);

std::optional<kernel::Margin> read_margin(const Value&);

/// Returns false, with problems recorded, if not all could be read.
bool read_judgement(const JudgementKeys&, kernel::Hypothesis&, const Draft&);

/// Checks direction, margin, metric and method together. Precondition: all of them could be read.
void check_judgement(const Fields& test, const JudgementKeys&, const kernel::Hypothesis&, const kernel::Metric&,
                     const Draft&);

}  // namespace studyfile
