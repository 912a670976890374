#pragma once
// The report after the verdicts: runs, dead ends, design, environment, reproduction. Markdown. Pure.

#include <string>

#include "artifacts/write/report.h"

namespace artifacts {

/// Empty if agents wrote nothing.
std::string written_section(const kernel::Study&);
/// The works that its texts cite; empty if there are none.
std::string references_section(const kernel::Study&);
std::string requirements_section(const kernel::Study&);
std::string runs_section(const kernel::Study&);
/// What people ran, noted and decided outside the design; empty if there is nothing.
std::string by_hand_section(const kernel::Study&);
std::string dead_ends_section(const kernel::Study&);
std::string design_section(const kernel::Study&);
std::string environment_section(const kernel::Study&);
/// The cost, from the ledger and the meters; says what was not measured.
std::string cost_section(const kernel::Study&);
std::string reproduction_section(const ReportInput&);
/// Sum of the runs' own wall time.
double run_seconds(const kernel::Study&);

}  // namespace artifacts
