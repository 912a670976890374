#pragma once
// Which of the evaluator's commands scores which runs, and how often the test data may be looked at. Pure.

#include <optional>
#include <string_view>

#include "kernel/study/state.h"

namespace kernel {

/// Registered runs confirm: by `test`, where there is one. All others search: by `validation` alone.
Tier tier_of(const StudySpec&, Purpose);

/// What scores a registration's runs; none where no evaluator does.
std::optional<EvaluatorTerms> evaluator_terms(const Study&);

/// How many experiments' runs the test data have scored, those of studies that this one was forked from included.
int looks_used(const Study&);
/// An event that is one of them.
bool looks_at_test(const Event&);
/// Of the study's own experiments, those that it inherited included.
int own_looks(const Experiments&);
/// Of the data that its test runs are scored on; empty: there are none. Hex.
std::string test_data_key(const std::vector<SealedData>&);
/// That other studies of the home were scored on the same data, in one sentence; empty: none was.
std::string earlier_looks_words(const Study&);
/// Why no agent may write the code of the study: what scores it, or is protected, could be made to import what the
/// agent wrote. An evaluator with a sandbox of its own has a copy of what a person wrote. Empty: one may.
std::string refused_engineer(const StudyTerms&);
/// Why no further experiment may be scored; empty: one may.
std::string refused_look(const Study&);

}  // namespace kernel
