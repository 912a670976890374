#pragma once
// `hypotheses`: the list in a study file, one of them as an agent proposes it, and the `test` of one: a comparison of
// two arms, how it changes along a factor, or a slope. A test has a direction and a margin.

#include <optional>

#include "kernel/domain/study_spec.h"
#include "studyfile/draft/draft.h"

namespace studyfile {

void read_hypotheses(const Value&, Draft&);  ///< After factors, constraints and metrics.
/// Reads one hypothesis into the draft. Returns false, with problems recorded, if not all of it could be read.
bool read_hypothesis(const Value& item, Draft&);
/// Fills `hypothesis` from `test`, and from the keys of `item` that may be next to it. Returns false, with problems
/// recorded, if not all could be read.
bool read_test(const Fields& item, const Value& test, kernel::Hypothesis& hypothesis, const Draft&);
void check_derivable(const Value& factors, Draft&);  ///< If no hypothesis is listed, whether any can be derived.

/// Where each key is given; a key that is given twice is a problem.
struct JudgementKeys {
  JudgementKeys(const Fields& item, const Fields& test);
  std::optional<Value> smallest_effect, method, over, unit, requirements;
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
