#pragma once
// The study file of the sample study: sorting algorithms across input distributions, five hypotheses.

#include <string>

#include "kernel/domain/study_spec.h"

struct SampleOptions;

/// Tries to break out of every format.
extern const char* const hostile_text;

kernel::StudySpec sample_spec(const SampleOptions&);
/// What stands in the study file.
std::string sample_text(const SampleOptions&);
