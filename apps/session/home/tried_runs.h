#pragma once
// What the runs of `etude try` took, which no study records: HOME/tries.jsonl, a line for each run that succeeded. Only
// predictions read it, so a line that cannot be read is left out. Any process may append.

#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "kernel/outlook/run_times.h"

namespace session {

struct TriedRun {
  kernel::RunTime time;
  std::string commands;   ///< kernel::command_key
  std::string workspace;  ///< The hash of the code.
};

/// A failure to write is no failure of the try: it returns false.
bool record_try(const HomePaths&, const TriedRun&);
/// Those with these commands, of the newest megabyte of the file; oldest first.
std::vector<TriedRun> tried_runs(const HomePaths&, const std::string& commands);

}  // namespace session
