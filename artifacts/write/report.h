#pragma once
// The report for people: the answer first, then its support. One Markdown text, also rendered as a self-contained HTML
// page. Every sentence comes from the record. Pure.

#include <string>
#include <vector>

#include "artifacts/figures/figures.h"
#include "kernel/study/state.h"

namespace artifacts {

struct ReportInput {
  const kernel::Study& study;
  std::string head;
  std::string tool_version;
  std::vector<Figure> figures;  ///< Figures that were drawn.
  std::string figure_trouble;   ///< Why figures are missing; empty if none is.
  FigureStyle style = FigureStyle::newest;
};

/// report.md; links and pictures are relative to the artifact's root.
std::string report_markdown(const ReportInput&);

/// What a screening or an optimisation selected; empty without a search.
std::string search_section(const kernel::Study&);
/// Empty if agents wrote nothing.
std::string written_section(const kernel::Journal&);
/// The works that its texts cite; empty if there are none.
std::string references_section(const kernel::Study&);
std::string requirements_section(const kernel::Study&);
std::string runs_section(const kernel::Study&);
/// What people ran, noted and decided outside the design; empty if there is nothing.
std::string by_hand_section(const kernel::Exploration&);
std::string dead_ends_section(const kernel::Study&);
std::string design_section(const kernel::Study&);
std::string environment_section(const kernel::StudyTerms&);
/// The cost, from the ledger and the meters; says what was not measured.
std::string cost_section(const kernel::Study&);
/// What each model was asked, role by role, and what its replies state of their origin; empty if none states it.
std::string models_section(const kernel::Ledger&);
std::string reproduction_section(const ReportInput&);
/// Sum of the registered runs' own wall time.
double run_seconds(const kernel::Study&);

}  // namespace artifacts
