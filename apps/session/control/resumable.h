#pragma once
// Which studies an earlier kernel left unfinished, and what prevents resuming one. Only reads.

#include <set>
#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace session {

/// The studies that `resume` without an id resumes: those that a crash, an interrupt or a full disk stopped, without
/// those that the home's owner works on.
std::vector<std::string> stopped_studies(const std::string& home, const std::set<std::string>& in_hand = {});

/// A missing path in HOME/kept that runs still need; without it they would fail. Empty if nothing is missing.
std::string missing_output(const kernel::Study&, const HomePaths&);

/// A path of the evaluator's data that does not exist; without it no run can be scored. Empty if all paths exist.
std::string missing_evaluator_data(const kernel::Study&);

/// Whether the command starts nothing. For a study that a crash stopped, it is kept for the next `resume`. A process
/// that pauses after an interrupt waits for running jobs.
bool only_recorded(const kernel::CommandBody&);

}  // namespace session
