#pragma once
// The evidence layer: tables, run records, logs and their index, made only from recorded runs and results. Decides
// nothing and leaves nothing out: failed runs are listed with the successful ones.

#include <string>
#include <vector>

#include "artifacts/figures/figures.h"
#include "artifacts/text/escaping.h"
#include "artifacts/write/package_input.h"
#include "artifacts/write/staging.h"

namespace artifacts {

/// Largest number of rows on one page; the CSV file has every run.
inline constexpr std::size_t most_page_rows = 10'000;

/// The table pages of an experiment, and their pictures, which are drawn together with the figures.
struct TablePage {
  kernel::ExperimentId experiment;
  std::string stem, title, caption;
  PlainTable table;
};
std::vector<TablePage> table_pages(const kernel::Study&, FigureStyle);
void write_tables(Staging&, const kernel::Exploration&, const std::vector<TablePage>&, const Drawn&);
void write_figures(Staging&, const std::vector<Figure>&, const Drawn&);

/// evidence/results/E01.md and .csv, and E01_points.csv if it is small; trials.md and .csv for runs that are no
/// evidence.
void write_results(Staging&, const PackageInput&);

/// Whether the artifact has the points that the runs of the experiment reported.
bool has_points_file(const kernel::RunBoard&, const kernel::ExperimentId&);

/// The path of a version's diff.
std::string version_path(const std::string& version);
/// evidence/results/S01.md: a screening or an optimisation, labelled as selection; it has no verdicts.
std::string search_page(const kernel::Study&);

/// Of a longer log only the end is copied.
inline constexpr std::size_t most_of_one_log = 64 * 1024;
/// evidence/logs/log_pointers.md, and the logs of runs that did not succeed.
void write_logs(Staging&, const PackageInput&);

/// evidence/README.md, from the staged files.
void write_evidence_index(Staging&, int layout);

}  // namespace artifacts
