#pragma once
// `cache: true`: a run that is the same as one of an earlier study of this home need not be run again. Pure.
// By what a set-up is known whose files an agent added to. Pure; any thread.

#include <map>
#include <optional>
#include <string>

#include "kernel/domain/study_spec.h"
#include "kernel/study/state.h"

namespace kernel {

/// What decides how the run comes out and how it is read: workspace, environment, data, command, parameters, seed, the
/// outputs it takes, and the metrics and guards. Runs with one key are the same run. Hex SHA-256.
std::string cache_key(const Study&, const Run&);

/// Whether the record of the same run may stand for this one: trials may, what a hypothesis rests on only where every
/// metric is deterministic, and what others take outputs of never.
bool may_come_back(const Study&, const Run&);

/// What an ended run may be remembered by; nothing for one that failed, or that came back itself.
std::optional<RunEnded> to_remember(const Study&, const Run&);

/// StudySpec::setup_key once these files, path → content, are written; empty: none of them is one that it depends on.
SetupKey setup_key_after(const StudySpec&, const std::map<std::string, std::string>& written);

}  // namespace kernel
