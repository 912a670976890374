#pragma once
// Finds a command's programs outside, so that exactly these are used inside: the folders that a job sees at their own
// places, and its PATH. Refuses by name a program that cannot be the same inside. Independent of runs.

#include "executors/backend/backend.h"

namespace executors {

/// Queries interpreters, with a time-out of ten seconds each. `own`: the kernel's environment, for PATH, HOME and the
/// version managers' settings.
kernel::Result<kernel::EnvironmentRecord> resolve_environment(const EnvironmentQuery&, const Variables& own);

}  // namespace executors
