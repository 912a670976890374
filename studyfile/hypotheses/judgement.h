#pragma once
// How a hypothesis is judged: its direction, and the keys that stand in `test` or beside it.

#include <optional>

#include "studyfile/draft/draft.h"

namespace studyfile {

/// Where each key is given; a problem is recorded for one that is given twice.
struct JudgementKeys {
  JudgementKeys(const Fields& item, const Fields& test);
  std::optional<Value> smallest_effect, method, over, requirements;
};

/// Records that it is missing, too.
std::optional<kernel::Direction> read_direction(const Fields& test, bool slope);

/// False where not all could be read, with problems recorded.
bool read_judgement(const JudgementKeys&, kernel::Hypothesis&, const Draft&);

/// What only makes sense together: direction, margin, metric and method. Precondition: all of them could be read.
void check_judgement(const Fields& test, const JudgementKeys&, const kernel::Hypothesis&, const kernel::Metric&,
                     const Draft&);

}  // namespace studyfile
