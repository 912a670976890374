#pragma once
// Whether a study that was read from a log is one that the kernel could have had. A log may hold any; the kernel and
// the pages take only studies that were checked when they were opened. Pure.

#include "kernel/study/state.h"

namespace artifacts {

/// A person's work that was captured: nothing in it has to follow from runs.
bool claims_nothing(const kernel::Study&);

/// Ranges, fidelity and confirmation as a study file may have them, and cells as many as can be run.
bool can_be_searched(const kernel::StudySpec&);

/// The registration's sizes and hypotheses are ones that can be computed.
bool can_be_computed(const kernel::Study&, const kernel::Registration&);
/// The study's factors, hypotheses, registrations and nodes are.
bool can_be_computed(const kernel::Study&);

}  // namespace artifacts
