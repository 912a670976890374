#pragma once
// States in words what a hypothesis's test asks and what it found. Metric, arms, direction, scale and conditions come
// from the test, never from its author's statement. Only `size_words` has values of runs; the others have margins and
// sizes that were fixed before the data. Pages of an artifact use the wording of their study (Study::wording). Pure.

#include <string>

#include "kernel/study/state.h"
#include "kernel/views/result_text.h"

namespace kernel {

/// The tested statement: "time_ms under algorithm = quick is less than that under algorithm = bubble by more than 90
/// %".
std::string tested_words(const StudySpec&, const Hypothesis&, int wording);

/// One sentence by the verdict: the tested statement, its contrary, the size that is excluded, or that it is undecided.
std::string finding_words(const StudySpec&, const HypothesisRecord&, int wording);

/// The same, but of a refuted hypothesis what was found instead, if the interval shows it: "time_ms under distribution
/// = sorted is less than that under distribution = random; where algorithm = quick".
std::string found_words(const StudySpec&, const HypothesisRecord&, int wording);

/// What was measured, for every verdict: "time_ms under algorithm = quick is 97.90 % less than that under algorithm
/// = bubble, 98.89 % interval [97.68 %, 98.10 %]; where distribution = random". Digits as in `shown`; an interval that
/// holds no difference keeps its signs. Of a crossover, the intervals at both levels that show it. Without a result or
/// an estimate, why there is none.
std::string size_words(const StudySpec&, const HypothesisRecord&, int wording);

/// The verdict's ground in one sentence: `size_words` where they say it, else what was found (or is not decided) with
/// what was measured: "y under arm = t equals that under arm = c to within 33 %; measured: 5 %, 95 % interval [-6 %, 17
/// %]".
std::string answer_words(const StudySpec&, const HypothesisRecord&, int wording);

struct MeasuredText {
  ShownNumber effect, interval;
};

/// Main effect and interval as a table shows them: percentage points apart from percentages, and of a crossover both
/// levels. Precondition: the record has its result.
MeasuredText measured(const StudySpec&, const HypothesisRecord&, int wording);

}  // namespace kernel
