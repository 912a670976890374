#pragma once
// Finds a command's programs outside, so that exactly these are used inside: the folders that a job sees at their own
// places, and its PATH. Refuses by name a program that cannot be the same inside. Independent of runs.

#include <optional>
#include <string>
#include <vector>

#include "executors/backend/backend.h"
#include "kernel/domain/study_spec.h"

namespace executors {

/// Queries interpreters, and waits two minutes for each. `own`: the kernel's environment, for PATH, HOME and the
/// version managers' settings.
kernel::Result<kernel::EnvironmentRecord> resolve_environment(const EnvironmentQuery&, const Variables& own);

/// As Backend::named_environment.
std::optional<kernel::ProgramRecord> named_environment(const EnvironmentQuery&, const Variables& own);

/// As Backend::missing_programs.
std::vector<kernel::Problem> missing_programs(const EnvironmentQuery&, const Variables& own);

}  // namespace executors
