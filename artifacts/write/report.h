#pragma once
// The report for people: the answer first, then what it rests on. One text in Markdown, rendered to a page of HTML that
// needs nothing else. Every sentence comes from what was recorded. Pure.

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
  std::vector<Figure> figures;  ///< Those that were drawn.
  std::string figure_trouble;   ///< Why others were not; empty: none is missing.
};

/// report.md: links and pictures are relative to the artifact's root.
std::string report_markdown(const ReportInput&);

}  // namespace artifacts
