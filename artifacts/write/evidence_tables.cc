#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "artifacts/figures/figures.h"
#include "artifacts/text/escaping.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/evidence.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Run;
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

std::string figure_page(const Figure& f, const std::string& source, bool as_pdf) {
  return fmt::format(
      "# {0}\n\n**Source**: {1}\n**Caption**: {2}\n**Screenshot**: [{3}.png]({3}.png), also "
      "[{3}.svg]({3}.svg){7}\n**Figure type**: {4}\n**Extraction method**: drawn by gnuplot from the recorded "
      "values; nothing was read off\n**Reading confidence**: exact\n**Axes**: {5}\n\n![{6}]({3}.svg)\n\n"
      "In words: {6}\n",
      in_markdown(f.title), in_markdown(source), in_markdown(f.caption), f.drawing.name, in_markdown(f.type),
      in_markdown(joined_text(f.axes, "; ")), in_link_text(f.alt),
      as_pdf ? fmt::format(" and [{0}.pdf]({0}.pdf); values in [{0}.csv]({0}.csv)", f.drawing.name) : "");
}

std::string csv_of(const PlainTable& table) {
  std::string csv = csv_row(table.header);
  for (const auto& row : table.rows) csv += csv_row(row);
  return csv;
}

/// Every cell of the experiment with every metric's mean, interval and counts.
PlainTable cell_table(const Study& study, const kernel::Experiment& experiment, FigureStyle style) {
  PlainTable table;
  for (const kernel::Factor& factor : study.spec.factors) table.header.push_back(factor.name);
  for (const char* column : {"Metric", "Unit", "Runs", "Failed", "Mean", "95 % interval", "Standard deviation"})
    table.header.push_back(column);
  for (const kernel::Metric& metric : study.spec.metrics)
    for (const CellMean& cell : cell_means(study, experiment, metric, style)) {
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

constexpr long long most_of_all_logs = 8'000'000;

/// The last lines, which usually say why it failed.
std::string tail(const std::string& bytes) {
  if (bytes.size() <= most_of_one_log) return bytes;
  return fmt::format("[{} left out]\n",
                     prose::counted(static_cast<long long>(bytes.size() - most_of_one_log), "byte")) +
         bytes.substr(bytes.size() - most_of_one_log);
}

std::string pointer(const kernel::BlobRef& ref) {
  return ref.sha256.empty() ? "none" : ref.sha256 + " (" + prose::bytes_text(ref.bytes) + ")";
}

class Logs {
 public:
  Logs(Staging& folder, const PackageInput& input) : folder_(folder), input_(input), study_(input.study) {}

  void write() {
    for (const Run& run : study_.runs) {
      std::string copies = copy(run, run.out_log, "stdout");
      if (const std::string error = copy(run, run.err_log, "stderr"); !error.empty())
        copies += (copies.empty() ? "" : ", ") + error;
      all_ += 1 + run.outputs.size();
      if (runs_.rows.size() + outputs_.rows.size() + left_.rows.size() >= most_page_rows) continue;
      runs_.rows.push_back({study_.run_id(run.number), std::string(kernel::name(run.state)), pointer(run.out_log),
                            pointer(run.err_log), copies.empty() ? "none" : copies});
      for (const kernel::OutputFile& output : run.outputs)
        outputs_.rows.push_back({study_.run_id(run.number), output.path, pointer(output.blob)});
      for (const std::string& file : run.left_out.named) left_.rows.push_back({study_.run_id(run.number), file});
      const auto named = static_cast<std::int64_t>(run.left_out.named.size());
      if (run.left_out.more || run.left_out.count > named)
        left_.rows.push_back(
            {study_.run_id(run.number),
             fmt::format("and {}{} more", run.left_out.more ? "at least " : "", run.left_out.count - named)});
    }
    runs_.header = {"Run", "State", "Standard output", "Standard error", "Copied here"};
    outputs_.header = {"Run", "Path", "SHA-256"};
    std::string page = "# Logs and kept outputs of every run\n\n";
    page +=
        "Named by SHA-256: whoever holds the store of the study can look them up, and nobody can exchange them. The "
        "logs of runs that did not succeed, or that a person ran by hand, are copied here";
    page += left_out_ ? fmt::format(" until they reached {}; {} more are only named.\n\n",
                                    prose::bytes_text(most_of_all_logs), prose::counted(left_out_, "log"))
                      : std::string(", each to its last 64 KiB.\n\n");
    page += markdown_table(runs_);
    if (!outputs_.rows.empty()) page += "\n## Kept outputs\n\n" + markdown_table(outputs_);
    left_.header = {"Run", "Left out"};
    if (!left_.rows.empty()) page += "\n## Outputs that were not kept\n\n" + markdown_table(left_);
    if (const std::size_t shown = runs_.rows.size() + outputs_.rows.size(); all_ > shown)
      page += fmt::format("\n{} more are named in etude.json.\n",
                          prose::counted(static_cast<long long>(all_ - shown), "log"));
    folder_.write("evidence/logs/log_pointers.md", page,
                  {"Where the logs and kept outputs of every run are", "the event log, trace/events.jsonl", {}});
  }

 private:
  std::string copy(const Run& run, const kernel::BlobRef& log, const char* stream) {
    // The output of a command by hand is often its only result.
    const kernel::ScratchOrder* order = study_.order_of(run);
    const bool by_hand = order && order->by_hand();
    if ((run.state == kernel::RunState::succeeded && !by_hand) || log.sha256.empty() || log.bytes == 0) return "";
    if (copied_ >= most_of_all_logs) {
      ++left_out_;
      return "";
    }
    const std::string bytes = tail(input_.blob(log.sha256));
    if (bytes.empty()) return "";
    copied_ += static_cast<long long>(bytes.size());
    const std::string name = fmt::format("{}.{}.log", study_.run_id(run.number), stream);
    folder_.write("evidence/logs/" + name, bytes,
                  {fmt::format("{} of {}, which ended {}", stream, study_.run_id(run.number), kernel::name(run.state)),
                   "the job's own output",
                   {}});
    return name;
  }

  Staging& folder_;
  const PackageInput& input_;
  const Study& study_;
  PlainTable runs_, outputs_, left_;
  long long copied_ = 0, left_out_ = 0;
  std::size_t all_ = 0;
};

/// The name without folder and suffix.
std::string_view stem_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.rfind('.'));
}

/// Whether readers of the format take it for a page of evidence.
bool is_evidence_page(std::string_view path) {
  if (!path.ends_with(".md")) return false;
  const std::string_view folder = path.substr(0, path.rfind('/'));
  return folder == "evidence/figures" || folder == "evidence/proofs" || folder == "evidence/results" ||
         folder == "evidence/tables";
}

/// "evidence/tables/x.md" → "Tables".
std::string category(const std::string& path) {
  const std::string rest = path.substr(std::string("evidence/").size());
  std::string name = rest.substr(0, rest.find('/'));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

}  // namespace

std::vector<TablePage> table_pages(const Study& study, FigureStyle style) {
  std::vector<TablePage> pages;
  const bool holm = study.spec.design.correction == kernel::Correction::holm;
  for (const kernel::Experiment& experiment : study.experiments) {
    const kernel::ExperimentId& id = experiment.registration.experiment;
    TablePage verdicts{
        id, "verdicts_" + id, "Verdicts of " + id,
        std::string("One row per registered hypothesis. Effect is treatment minus control in the metric's unit (of a "
                    "slope: the slope), relative effect is treatment over control minus one. Intervals are two-sided "
                    "at the level given; p is corrected ") +
            std::string(holm ? "by Holm over the batch." : "to the false discovery rate of the batch (FDR)."),
        verdict_table(study, id)};
    for (const kernel::HypothesisRecord* record : withdrawn(study))
      if (record->experiment == id)
        verdicts.caption +=
            fmt::format(" {} was withdrawn before it had a verdict, and has no row: {}.", record->hypothesis.id,
                        without_stop(sentence(record->withdrawn, study.wording)));
    if (!verdicts.table.rows.empty()) pages.push_back(std::move(verdicts));
    pages.push_back(
        {id, "cells_" + id, "Cells of " + id,
         style == FigureStyle::newest
             ? "Mean over the runs that count, by cell and metric, with its 95 % interval by Student's t, of "
               "outcomes (0 or 1) by Wilson's scores: a description, not a test. Failed runs are counted "
               "beside it."
             : "Mean over the runs that count, by cell and metric, with its 95 % interval by Student's t: a "
               "description, not a test. Failed runs are counted beside it.",
         cell_table(study, experiment, style)});
  }
  return pages;
}

void write_tables(Staging& folder, const kernel::Exploration& study, const std::vector<TablePage>& pages,
                  const Drawn& drawn) {
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
    const std::string source =
        figure.source.empty() ? fmt::format("evidence/results/{}.csv", figure.experiment) : figure.source;
    const std::string& pdf = picture->second.pdf;
    folder.write(path + ".md", figure_page(figure, source, !pdf.empty()), {figure.title, source, figure.claims});
    folder.write(path + ".svg", picture->second.svg, {figure.title + " (vector)", source, figure.claims});
    folder.write(path + ".png", picture->second.png, {figure.title + " (pixels)", source, figure.claims});
    if (!pdf.empty()) folder.write(path + ".pdf", pdf, {figure.title + " (for print)", source, figure.claims});
    if (!figure.values.header.empty())
      folder.write(path + ".csv", csv_of(figure.values), {figure.title + " (what is drawn)", source, figure.claims});
  }
}

void write_logs(Staging& folder, const PackageInput& input) {
  Logs(folder, input).write();
}

void write_evidence_index(Staging& folder, int layout) {
  struct Section {
    std::string table, list;
  };
  std::set<std::string, std::less<>> stems;
  for (const auto& [path, file] : folder.files())
    if (is_evidence_page(path)) stems.emplace(stem_of(path));
  std::map<std::string, Section> sections;
  for (const auto& [path, file] : folder.files()) {
    if (!path.starts_with("evidence/")) continue;
    Section& section = sections[category(path)];
    const std::string below = path.substr(std::string("evidence/").size());
    const std::string source = in_markdown(file.about.source), description = in_markdown(file.about.description);
    const std::string claims = file.about.claims.empty() ? "none" : in_markdown(listed(file.about.claims));
    // Readers of the format take a row of a table for a page of evidence.
    if (layout == 1 || stems.contains(stem_of(path))) {
      if (section.table.empty()) section.table = "| File | Source | Claims | Description |\n|---|---|---|---|\n";
      section.table += fmt::format("| [{0}]({0}) | {1} | {2} | {3} |\n", below, source, claims, description);
    } else {
      section.list += fmt::format("- [{0}]({0}): {1} (claims: {2}{3}{4})\n", below, description, claims,
                                  source.empty() ? "" : "; source: ", source);
    }
  }
  std::string page =
      "# Evidence index\n\nMade from the recorded runs and results. `etude.json` at the root holds the "
      "SHA-256 of every file here.\n";
  for (const char* name : {"Tables", "Figures", "Results", "Code", "Logs"}) {
    const auto section = sections.find(name);
    if (section == sections.end()) continue;
    page += fmt::format("\n## {}\n\n{}", name, section->second.table);
    if (const std::string& list = section->second.list; !list.empty())
      page += (section->second.table.empty() ? "" : "\n") + list;
  }
  folder.write("evidence/README.md", page, {"Index of the evidence", "", {}});
}

}  // namespace artifacts
