#include "artifacts/write/compose.h"

#include <fmt/format.h>

#include "artifacts/read/record.h"
#include "artifacts/text/html_page.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/graph_nodes.h"
#include "artifacts/write/layers.h"
#include "artifacts/write/paper_words.h"
#include "artifacts/write/report.h"
#include "base/assert.h"
#include "base/digest.h"
#include "base/manifest.h"
#include "kernel/measure/measure.h"
#include "kernel/study/gates.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Study;

namespace {

/// Copies the evaluator's data, which a second evaluation needs; of large data only the identity is recorded.
void write_sealed(Staging& folder, const PackageInput& input) {
  const std::string& hash = input.study.sealed_manifest;
  if (hash.empty()) return;
  const std::string manifest = input.blob(hash);
  const auto entries = kernel::read_manifest(manifest);
  if (!entries || kernel::sha256_hex(manifest) != hash)
    throw PackagingFault({kernel::ReasonCode::sealed_manifest_damaged, {{"hash", hash}}});
  folder.make_tree(*entries, sealed_folder, input.blob, kernel::withheld_files(input.study));
  folder.write(std::string(sealed_folder) + ".manifest", manifest, {"The manifest of the evaluator's data", "", {}});
}

void write_sources(Staging& folder, const PackageInput& input) {
  const Study& study = input.study;
  folder.write("src/study.yaml", study.text, {"The study file, byte for byte", "", {}});
  // From blobs, whose names are their hashes; the folder that runs start from may have changed since.
  const std::set<std::string> withheld = kernel::withheld_files(study);
  for (const std::string& hash : study.workspaces()) {
    const std::string workspace = workspace_path(hash), manifest = input.blob(hash);
    const auto entries = kernel::read_manifest(manifest);
    if (!entries || kernel::sha256_hex(manifest) != hash)
      throw PackagingFault({kernel::ReasonCode::manifest_damaged, {{"hash", hash}}});
    folder.make_tree(*entries, workspace, input.blob, withheld);
    folder.write(workspace + ".manifest", manifest,
                 {hash == study.workspace.hash.text() ? "The workspace's manifest, whose SHA-256 names the workspace"
                                                      : "The manifest of the workspace before it was amended",
                  "",
                  {}});
  }
  if (const kernel::CodeAmendment* change = study.amendment(); change && !change->diff.sha256.empty())
    folder.write(amendment_path, input.blob(change->diff.sha256), {"What an agent changed of a person's code", "", {}});
  write_sealed(folder, input);
  folder.write("src/environment.md", environment_page(study), {"Runtime, versions, hardware, seeds", "", {}});
  folder.write("src/configs/parameters.md", parameters_page(study),
               {"Factors, constants, design, registered tests", "", {}});
  if (shows_sizes(study))
    for (const auto& [program, libraries] : study.environment.libraries)
      if (!libraries.empty())
        folder.write(fmt::format("src/configs/packages_{}.txt", in_file_name(program)),
                     packages_page(program, libraries),
                     {"Packages of " + program + " with their versions, as pip reads them", "", {}});
  folder.write("src/artifacts.md", code_page(study, folder), {"Index of the code that ran", "", {}});
  if (const std::string data = dataset_page(study); !data.empty())
    folder.write("data/dataset.md", data, {"Input data and their identity", "", {}});
}

void write_logic(Staging& folder, const Study& study) {
  const auto write = [&](const char* path, const std::string& page, const std::string& description) {
    folder.write(path, page, {description, "", {}});
  };
  const std::string problem = problem_page(study), concepts = concepts_page(study);
  write("logic/problem.md", problem,
        fmt::format("{} and {}", prose::counted(headings(problem, "### O"), "observation"),
                    prose::counted(headings(problem, "### G"), "gap")));
  write(
      "logic/claims.md", claims_page(study),
      fmt::format("{} with status and sources", prose::counted(static_cast<long long>(study.claims.size()), "claim")));
  write("logic/concepts.md", concepts, prose::counted(headings(concepts), "concept"));
  write("logic/experiments.md", experiments_page(study),
        prose::counted(static_cast<long long>(study.experiments.size()), "experiment"));
  write("logic/related_work.md", related_work_page(study), "What the study builds on");
  write("logic/solution/constraints.md", constraints_page(study), "Scope, resources and limits");
}

long long write_trace(Staging& folder, const PackageInput& input) {
  long long events = 0;
  folder.stream("trace/events.jsonl",
                [&](const Sink& sink) {
                  input.event_lines([&](std::string_view line) {
                    ++events;
                    sink(line);
                    sink("\n");
                  });
                },
                {"The study's event log, chained by hashes", "", {}});
  folder.write("trace/exploration_tree.yaml", tree_page(input.study),
               {prose::counted(std::ssize(graph_nodes(input.study).nodes), "node"), "", {}});
  if (const std::string staged = observations_page(input.study); !staged.empty())
    folder.write("staging/observations.yaml", staged,
                 {prose::counted(static_cast<long long>(observations_of(input.study).size()), "observation") +
                      " that people noted: no claims",
                  "",
                  {}});
  return events;
}

PictureReading reading_of(const Figure& figure) {
  PictureReading reading{figure.drawing.width, figure.drawing.height, {}, figure.values};
  for (const PlacedValue& value : figure.drawing.values) reading.values.push_back({value.x, value.y, value.text});
  return reading;
}

void write_report(Staging& folder, const PackageInput& input, const Drawings& all) {
  const Study& study = input.study;
  const Drawn& drawn = all.drawn.get();
  ReportInput report{study, input.head, input.tool_version, {}, drawn.trouble, all.style};
  HtmlInput html;
  const bool newest = study.wording >= 11 || study.wording == kernel::codes_only;
  html.style = input.layout < 3 ? PageStyle::before_layout_3
               : newest         ? PageStyle::newest
                                : PageStyle::before_wording_11;
  html.title = study.spec.title;
  std::map<std::string, const std::string*> pictures;
  for (const Figure& figure : all.figures) {
    const auto picture = drawn.pictures.find(figure.drawing.name);
    if (picture == drawn.pictures.end()) continue;
    report.figures.push_back(figure);
    const std::string path = "evidence/figures/" + figure.drawing.name + ".svg";
    pictures[path] = &picture->second.svg;
    if (all.style == FigureStyle::newest) html.readings[path] = reading_of(figure);
  }
  html.picture = [&](const std::string& path) {
    const auto found = pictures.find(path);
    return found == pictures.end() ? "" : *found->second;
  };
  for (const kernel::HypothesisRecord& record : study.hypotheses) html.anchors.push_back(record.hypothesis.id.text());
  html.markdown = report_markdown(report);
  folder.write("report.md", html.markdown, {"The report as Markdown", "", {}});
  folder.write("report.html", html_page(html), {"The report, self-contained", "", {}});
}

/// Since layout 3 each figure is also a PDF, which the log names.
bool logged_before_layout_3(const Study& study) {
  if (!study.pictures) return false;
  const auto any = [&](const char* ending) {
    return std::ranges::any_of(study.pictures->files,
                               [&](const kernel::OutputFile& file) { return file.path.ends_with(ending); });
  };
  return any(".svg") && !any(".pdf");
}

}  // namespace

std::vector<Drawing> Drawings::to_draw() const {
  std::vector<Drawing> drawings;
  for (const Figure& figure : figures) drawings.push_back(figure.drawing);
  for (const TablePage& page : tables) drawings.push_back(table_picture(page.stem, page.title, page.table));
  return drawings;
}

std::string Drawings::path_of(const std::string& drawing) const {
  const bool table = std::ranges::any_of(tables, [&](const TablePage& page) { return page.stem == drawing; });
  return (table ? "evidence/tables/" : "evidence/figures/") + drawing;
}

Formats Drawings::formats() const {
  return style == FigureStyle::newest ? Formats::all : Formats::svg_and_png;
}

Drawings drawings_of(const Study& study, int layout, const BlobReader& blob) {
  Drawings all;
  all.style = layout < 3 || logged_before_layout_3(study) ? FigureStyle::before_layout_3 : FigureStyle::newest;
  const bool newest = all.style == FigureStyle::newest;
  const auto add = [&](std::vector<Figure> figures) {
    for (Figure& figure : figures) all.figures.push_back(std::move(figure));
  };
  if (newest) add(search_figures(study));
  const auto points_of = [&](const kernel::Run& run) {
    return kernel::points_from_jsonl(blob(run.measurement.metrics.sha256));
  };
  for (const kernel::Experiment& e : study.experiments) {
    add(effects_figures(study, e, all.style));
    add(means_figures(study, e, all.style));
    if (!newest) continue;
    add(runs_figures(study, e));
    if (has_points_file(study, e.registration.experiment)) add(curve_figures(study, e, points_of));
  }
  all.tables = table_pages(study, all.style);
  return all;
}

long long compose(Staging& folder, const PackageInput& input, const Drawings& all) {
  ETUDE_ASSERT(all.drawn.valid());
  const Study& study = input.study;
  write_sources(folder, input);
  write_logic(folder, study);
  write_results(folder, input);
  write_logs(folder, input);
  const long long events = write_trace(folder, input);
  write_tables(folder, study, all.tables, all.drawn.get());
  write_figures(folder, all.figures, all.drawn.get());
  write_evidence_index(folder, input.layout);
  if (shows_sizes(study)) {
    folder.write("README.md", readme_page(study, input.head), {"How to look at it, check it and run it", "", {}});
    folder.write("CITATION.cff", citation_file(study, input.tool_version, input.head), {"How to cite it", "", {}});
    folder.write("codemeta.json", codemeta_file(study, input.tool_version, input.head),
                 {"The same for registries of software", "", {}});
  }
  folder.write("PAPER.md", paper_page(study, input.tool_version, folder),
               {"What this is, and the index of its layers", "", {}});
  write_report(folder, input, all);
  return events;
}

}  // namespace artifacts
