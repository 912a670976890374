#pragma once
// What stands in the way of going on with a study that an earlier kernel left.

#include <string>

#include "apps/session/home.h"
#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace session {

/// Something in HOME/kept that runs still need and that is gone: they would fail for no fault of theirs. Empty:
/// nothing.
std::string missing_output(const kernel::Study&, const HomePaths&);

/// What runs would be scored by in vain. Empty: nothing.
std::string missing_seal(const kernel::Study&);

/// Words that set nothing going: of a study that a crash stopped they are kept for whoever resumes it. Whoever pauses
/// because he was interrupted waits for what runs.
bool only_recorded(const kernel::CommandBody&);

}  // namespace session
