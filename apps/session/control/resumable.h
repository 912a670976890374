#pragma once
// Which studies an earlier kernel left unfinished, and what stands in the way of going on with one. Only reads.

#include <set>
#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace session {

/// The studies that `resume` without an id goes on with: what a crash, an interrupt or a full disk stopped, and nothing
/// of what the home's owner has in hand and works on.
std::vector<std::string> stopped_studies(const std::string& home, const std::set<std::string>& in_hand = {});

/// Something in HOME/kept that runs still need and that is gone: they would fail for no fault of theirs. Empty:
/// nothing.
std::string missing_output(const kernel::Study&, const HomePaths&);

/// A path of the evaluator's data that does not exist; without it no run can be scored. Empty: all paths exist.
std::string missing_evaluator_data(const kernel::Study&);

/// Words that set nothing going: of a study that a crash stopped they are kept for whoever resumes it. Whoever pauses
/// because he was interrupted waits for what runs.
bool only_recorded(const kernel::CommandBody&);

}  // namespace session
