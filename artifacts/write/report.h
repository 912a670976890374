#pragma once
// The report for people: the answer first, then its support. One Markdown text, also rendered as a self-contained HTML
// page. Every sentence comes from the record. Pure.

#include <map>
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
};

/// report.md; links and pictures are relative to the artifact's root.
std::string report_markdown(const ReportInput&);

}  // namespace artifacts
