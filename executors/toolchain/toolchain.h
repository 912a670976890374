#pragma once
// Finds outside what a command's programs are, so that exactly these are used inside: which folders to show a job at
// their own places, and its PATH. A program that cannot be the same inside is refused by name. Knows nothing of runs.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/records.h"
#include "kernel/domain/study_spec.h"

namespace executors {

struct EnvironmentQuery {
  kernel::EnvironmentSpec environment;
  std::vector<kernel::CommandTemplate> commands;
  std::string workspace;  ///< The author's folder, absolute: for `./program`, `.python-version` and `.venv`.
  std::string folder;     ///< What a relative `venv:PATH` starts from, absolute.
  /// What a placeholder may stand for, e.g. a factor's levels: for commands whose program is a placeholder.
  std::map<std::string, std::vector<std::string>> values;
  /// Written by a stranger, so that asking is already a risk: only the system's programs and those on PATH are executed
  /// or shown, whatever environment or path it names.
  bool strangers = false;
};

/// The query of a study file.
EnvironmentQuery query_of(const kernel::StudySpec&);

/// Asks interpreters about themselves, with a time-out of ten seconds each. `own`: the kernel's environment, for PATH,
/// HOME and the version managers' settings.
kernel::Result<kernel::EnvironmentRecord> resolve_environment(const EnvironmentQuery&,
                                                              const std::map<std::string, std::string>& own);

}  // namespace executors
