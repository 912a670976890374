#include <fmt/format.h>

#include "artifacts/figures/cell_means.h"
#include "artifacts/text/escaping.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/evidence.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Study;

namespace {

std::string page_of(const TablePage& page, const std::string& source, bool drawn) {
  return fmt::format(
      "# {}\n\n**Source**: {}\n**Caption**: {}\n**Screenshot**: {}\n**Extraction type**: raw_table\n\n{}",
      in_markdown(page.title), in_markdown(source), in_markdown(page.caption),
      drawn ? fmt::format("[{0}.png]({0}.png), drawn from the rows below", page.stem)
            : std::string("not available: no picture could be drawn when this artifact was packaged"),
      markdown_table(page.table));
}

std::string figure_page(const Figure& f, const std::string& source) {
  return fmt::format(
      "# {0}\n\n**Source**: {1}\n**Caption**: {2}\n**Screenshot**: [{3}.png]({3}.png), also "
      "[{3}.svg]({3}.svg)\n**Figure type**: {4}\n**Extraction method**: drawn by gnuplot from the recorded "
      "values; nothing was read off\n**Reading confidence**: exact\n**Axes**: {5}\n\n![{6}]({3}.svg)\n\n"
      "In words: {6}\n",
      in_markdown(f.title), in_markdown(source), in_markdown(f.caption), f.drawing.name, in_markdown(f.type),
      in_markdown(joined_text(f.axes, "; ")), in_link_text(f.alt));
}

/// Every cell of the experiment with every metric's mean, interval and counts.
PlainTable cell_table(const Study& study, const kernel::Experiment& experiment) {
  PlainTable table;
  for (const kernel::Factor& factor : study.spec.factors) table.header.push_back(factor.name);
  for (const char* column : {"Metric", "Unit", "Runs", "Failed", "Mean", "95 % interval", "Standard deviation"})
    table.header.push_back(column);
  for (const kernel::Metric& metric : study.spec.metrics)
    for (const CellMean& cell : cell_means(study, experiment, metric)) {
      const kernel::Cell& levels = study.cells[static_cast<std::size_t>(cell.cell)];
      std::vector<std::string> row;
      for (const kernel::Factor& factor : study.spec.factors) row.push_back(value_in(levels, factor.name));
      const auto half = prose::half_width(cell.low, cell.mean, cell.high);
      const std::string none = "not available: " + (cell.missing.empty() ? "one value" : cell.missing);
      row.push_back(metric.name);
      row.push_back(metric.unit);
      row.push_back(std::to_string(cell.values.size()));
      row.push_back(std::to_string(cell.failed));
      row.push_back(cell.mean ? prose::rounded(*cell.mean, half) : none);
      row.push_back(cell.mean && cell.low ? prose::interval_text(cell.low, cell.high, half) : none);
      row.push_back(cell.mean && cell.sd ? prose::rounded(*cell.sd, *cell.sd / 2) : none);
      table.rows.push_back(std::move(row));
    }
  return table;
}

}  // namespace

std::vector<TablePage> table_pages(const Study& study) {
  std::vector<TablePage> pages;
  const bool holm = study.spec.design.correction == kernel::Correction::holm;
  for (const kernel::Experiment& experiment : study.experiments) {
    const std::string& id = experiment.registration.experiment;
    TablePage verdicts{
        id, "verdicts_" + id, "Verdicts of " + id,
        std::string("One row per registered hypothesis. Effect is treatment minus control in the metric's unit (of a "
                    "slope: the slope), relative effect is treatment over control minus one. Intervals are two-sided "
                    "at the level given; p is corrected ") +
            std::string(holm ? "by Holm over the batch." : "to the false discovery rate of the batch (FDR)."),
        verdict_table(study, id)};
    for (const kernel::HypothesisRecord* record : withdrawn(study))
      if (record->experiment == id)
        verdicts.caption += fmt::format(" {} was withdrawn before it had a verdict, and has no row: {}.",
                                        record->hypothesis.id, without_stop(record->withdrawn));
    if (!verdicts.table.rows.empty()) pages.push_back(std::move(verdicts));
    pages.push_back({id, "cells_" + id, "Cells of " + id,
                     "Mean over the runs that count, by cell and metric, with its 95 % interval by Student's t: a "
                     "description, not a test. Failed runs are counted beside it.",
                     cell_table(study, experiment)});
  }
  return pages;
}

void write_tables(Staging& folder, const Study& study, const std::vector<TablePage>& pages, const Drawn& drawn) {
  for (const TablePage& page : pages) {
    const std::string path = "evidence/tables/" + page.stem;
    const auto picture = drawn.pictures.find(page.stem);
    const std::vector<std::string> claims = claims_of(study, page.experiment);
    const bool verdicts = page.stem.starts_with("verdicts_");
    const std::string source =
        verdicts ? fmt::format("the registered analysis of {0}, evidence/results/{0}.csv", page.experiment)
                 : fmt::format("evidence/results/{}.csv", page.experiment);
    folder.write(path + ".md", page_of(page, source, picture != drawn.pictures.end()),
                 {page.title + (verdicts ? ": effects, intervals, p-values, counts" : ": means and intervals by cell"),
                  source, claims});
    if (picture != drawn.pictures.end())
      folder.write(path + ".png", picture->second.png, {"Picture of the table " + page.title, source, claims});
  }
}

void write_figures(Staging& folder, const std::vector<Figure>& figures, const Drawn& drawn) {
  for (const Figure& figure : figures) {
    const auto picture = drawn.pictures.find(figure.drawing.name);
    if (picture == drawn.pictures.end()) continue;
    const std::string path = "evidence/figures/" + figure.drawing.name;
    const std::string source = fmt::format("evidence/results/{}.csv", figure.experiment);
    folder.write(path + ".md", figure_page(figure, source), {figure.title, source, figure.claims});
    folder.write(path + ".svg", picture->second.svg, {figure.title + " (vector)", source, figure.claims});
    folder.write(path + ".png", picture->second.png, {figure.title + " (pixels)", source, figure.claims});
  }
}

}  // namespace artifacts
