#pragma once
// Runs the study of one benchmark task by a process of this program's own, to its end or to where it stops, and reads
// from the store what its agents handed in and did. One thread; waits for the process.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "benchmarks/scoring.h"
#include "memory/store/reader.h"

namespace cli {

/// The `study` document whose artifact goes to `output`; null if there is none. The newest, if there are several.
nlohmann::json study_of_output(const memory::Reader&, const std::string& output);

/// Runs this program with these arguments; its output goes to LOG.out and LOG.err. Returns its exit status, 128 and the
/// number of a signal that ended it. It is interrupted if this process dies. Throws std::system_error.
int run_own_program(const std::vector<std::string>& arguments, const std::string& log);

/// What the engineers of a study handed in: its newest version, their calls of tools, and that version's runs.
benchmarks::HandedIn handed_in(const memory::Reader&, const std::string& home, const std::string& study);

}  // namespace cli
