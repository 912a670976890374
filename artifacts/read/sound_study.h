#pragma once
// Whether a study from a log could have been made by the kernel. A log may contain anything, but the kernel and the
// pages expect studies that were checked when they were opened. Pure.

#include "kernel/study/state.h"

namespace artifacts {

/// Whether the study is captured work of a person, in which no result must follow from runs.
bool claims_nothing(const kernel::Study&);

/// Whether the registration's sizes and hypotheses can be computed.
bool can_be_computed(const kernel::Study&, const kernel::Registration&);
/// Whether the study's factors, hypotheses, registrations and nodes can be computed.
bool can_be_computed(const kernel::Study&);

}  // namespace artifacts
