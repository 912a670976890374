#pragma once
// How the test of a hypothesis is written, by examples of this study's own metric and factors. Names only kinds that
// the study's factors allow. Names that are no plain word are left out, for the text stands outside of a quotation.
// Pure.

#include <string>

#include "kernel/domain/study_spec.h"

namespace agents {

/// For the prompt of the role that proposes.
std::string hypothesis_format(const kernel::StudySpec&);

/// {"metric": …, "treatment": …, "control": …, "direction": "less"}
std::string comparison_example(const kernel::StudySpec&);

/// Whether a hypothesis may compare along a factor: a second factor, or one whose levels are numbers.
bool has_along(const kernel::StudySpec&);
/// Whether a slope can be tested: a factor whose levels are numbers.
bool has_slope(const kernel::StudySpec&);

}  // namespace agents
