#pragma once
// Finds outside what a command's programs are, so that exactly these are used inside: which folders to show a job at
// their own places, and its PATH. A program that cannot be the same inside is refused by name. Knows nothing of runs.

#include "executors/backend/backend.h"

namespace executors {

/// Asks interpreters about themselves, with a time-out of ten seconds each. `own`: the kernel's environment, for PATH,
/// HOME and the version managers' settings.
kernel::Result<kernel::EnvironmentRecord> resolve_environment(const EnvironmentQuery&, const Variables& own);

}  // namespace executors
