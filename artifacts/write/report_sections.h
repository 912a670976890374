#pragma once
// The report behind the verdicts: runs, dead ends, design, environment, how to run it again. Markdown. Pure.

#include <string>

#include "artifacts/write/report.h"

namespace artifacts {

/// Empty where no agent wrote anything.
std::string written_section(const kernel::Study&);
/// The works that its texts cite; empty where there are none.
std::string references_section(const kernel::Study&);
std::string requirements_section(const kernel::Study&);
std::string runs_section(const kernel::Study&);
/// What people ran, noted and decided beside the design; empty where nobody did.
std::string by_hand_section(const kernel::Study&);
std::string dead_ends_section(const kernel::Study&);
std::string design_section(const kernel::Study&);
std::string environment_section(const kernel::Study&);
/// What it took, by the ledger and the meters; of what nothing has counted it says so.
std::string cost_section(const kernel::Study&);
std::string reproduction_section(const ReportInput&);
/// Sum of the runs' own wall time.
double run_seconds(const kernel::Study&);

}  // namespace artifacts
