#pragma once
// Which evaluator command scores which runs, and how often the test data may be used. Pure.

#include <optional>

#include "kernel/study/state.h"

namespace kernel {

/// Registered runs are scored by `test` if there is one; all others only by `validation`.
Tier tier_of(const StudySpec&, Purpose);

/// The evaluator command for a registration's runs; none if no evaluator scores them.
std::optional<EvaluatorTerms> evaluator_terms(const Study&);

/// Number of experiments scored on the test data, including those of studies that this one was forked from.
int looks_used(const Study&);
/// True if the event is such a use of the test data.
bool looks_at_test(const Event&);
/// Looks by the study's own experiments, including inherited ones.
int own_looks(const Experiments&);
/// Hex key of the data that test runs are scored on; empty if there are none.
std::string test_data_key(const std::vector<SealedData>&);
/// One sentence that other studies of the home were scored on the same data; empty if none was.
std::string earlier_looks_words(const StudyTerms&);
/// Why no agent may write the study's code: its evaluator or protected files could import that code. An evaluator in a
/// sandbox reads a copy of a person's code instead. Empty if an agent may write it.
std::string refused_engineer(const StudyTerms&);
/// Why no further experiment may be scored; empty if one may be.
Reason refused_look(const Study&);

}  // namespace kernel
