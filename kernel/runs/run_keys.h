#pragma once
// Keys of runs for `cache: true` (a run identical to one of an earlier study of this home is not run again),
// and the key of a set-up after an agent added files. Pure; any thread.

#include <map>
#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// False if no seed enters the run: all metrics are deterministic, no command has `{seed}` or ETUDE_SEED, and no line
/// of the code that is known to read ETUDE_SEED (WorkspaceRecord::reads). True in studies of earlier programs.
bool gets_seed(const Study&, const Run&);

/// Hex SHA-256 of all that affects the run's outcome and how it is read: workspace, environment, data, command,
/// parameters, seed, inputs from earlier stages, metrics and guards. In place of the seed, a run that gets none has its
/// purpose and its replicate. Runs with equal keys are identical.
std::string cache_key(const Study&, const Run&);

/// True if the record of an identical run may replace this run. Never if other runs use its outputs, if it repeats a
/// smoke run, or in a search whose runs continue one another (Fidelity::continues); runs of an experiment only if every
/// metric is deterministic.
bool may_reuse(const Study&, const Run&);

/// The record of an ended run for the cache; none if it failed, came from the cache itself, or ran on code that was
/// amended since.
std::optional<RunEnded> to_remember(const Study&, const Run&);

/// StudySpec::setup_key after these files (path → content) are written; empty if the set-up depends on none of them.
SetupKey setup_key_after(const StudySpec&, const std::map<std::string, std::string>& written);

}  // namespace kernel
