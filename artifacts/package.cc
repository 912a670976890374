#include "artifacts/package.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include "artifacts/evidence.h"
#include "artifacts/html_page.h"
#include "artifacts/layers.h"
#include "artifacts/numbers.h"
#include "artifacts/report.h"
#include "artifacts/seal.h"
#include "artifacts/staging.h"
#include "artifacts/study_words.h"
#include "kernel/digest.h"

namespace artifacts {

namespace fs = std::filesystem;
using kernel::Problem;
using kernel::Study;

namespace {

Problem cannot_use(const fs::path& folder, const std::string& why, const std::string& todo) {
  return {"", 0, folder.string(), why, todo};
}

/// Absolute, without a final slash, links followed as far as the path exists.
fs::path placed(const std::string& folder) {
  fs::path path = fs::weakly_canonical(fs::absolute(folder));
  return path.has_filename() ? path : path.parent_path();
}

bool is_ours(const fs::path& folder) {
  std::ifstream file(folder / "etude.json", std::ios::binary);
  std::string start(256, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return is_seal(start);
}

void swap_in(const fs::path& made, const fs::path& target) {
  const auto fail = [&](int error) {
    throw std::system_error(error, std::generic_category(), "cannot put the artifact at " + target.string());
  };
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)) && !fs::is_empty(target)) {
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
      fs::remove_all(made);
      return;
    }
    if (errno != EINVAL && errno != ENOSYS) fail(errno);
    // A file system that cannot exchange: for an instant neither is there, but none is ever half there.
    const fs::path old = made.string() + ".old";
    fs::remove_all(old);
    if (::rename(target.c_str(), old.c_str()) != 0 || ::rename(made.c_str(), target.c_str()) != 0) fail(errno);
    fs::remove_all(old);
    return;
  }
  if (::rename(made.c_str(), target.c_str()) != 0) fail(errno);
}

void flush_entry(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// The figures and tables as pictures, in one go.
struct Drawings {
  std::vector<Figure> figures;
  std::vector<TablePage> tables;
  Drawn drawn;
};

Drawings draw_all(const Study& study) {
  Drawings all;
  for (const kernel::Experiment& e : study.experiments) {
    for (Figure& figure : effects_figures(study, e)) all.figures.push_back(std::move(figure));
    for (Figure& figure : means_figures(study, e)) all.figures.push_back(std::move(figure));
  }
  all.tables = table_pages(study);
  std::vector<Drawing> drawings;
  for (const Figure& figure : all.figures) drawings.push_back(figure.drawing);
  for (const TablePage& page : all.tables) drawings.push_back(table_picture(page.stem, page.title, page.table));
  all.drawn = draw(drawings);
  return all;
}

void write_sources(Staging& folder, const PackageInput& input) {
  const Study& study = input.study;
  folder.write("src/study.yaml", study.text, {"The study file, byte for byte", "", {}});
  const std::string workspace = "src/workspace/" + study.workspace.hash;
  folder.copy_tree(input.workspace_folder, workspace);
  const std::string manifest = input.blob(study.workspace.hash);
  if (!manifest.empty() && kernel::sha256_hex(manifest) == study.workspace.hash)
    folder.write(workspace + ".manifest", manifest,
                 {"The workspace's manifest, whose SHA-256 names the workspace", "", {}});
  folder.write("src/environment.md", environment_page(study), {"Runtime, versions, hardware, seeds", "", {}});
  folder.write("src/configs/parameters.md", parameters_page(study),
               {"Factors, constants, design, registered tests", "", {}});
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
        fmt::format("{} and {}", counted(headings(problem, "### O"), "observation"),
                    counted(headings(problem, "### G"), "gap")));
  write("logic/claims.md", claims_page(study),
        fmt::format("{} with status and sources", counted(static_cast<long long>(study.claims.size()), "claim")));
  write("logic/concepts.md", concepts, counted(headings(concepts), "concept"));
  write("logic/experiments.md", experiments_page(study),
        counted(static_cast<long long>(study.experiments.size()), "experiment"));
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
               {counted(static_cast<long long>(input.study.nodes.size()), "node"), "", {}});
  return events;
}

void write_report(Staging& folder, const PackageInput& input, const Drawings& all) {
  const Study& study = input.study;
  ReportInput report{study, input.head, input.tool_version, {}, all.drawn.trouble};
  HtmlInput html{study.spec.title, "", {}, {}};
  for (const Figure& figure : all.figures) {
    const auto picture = all.drawn.pictures.find(figure.drawing.name);
    if (picture == all.drawn.pictures.end()) continue;
    report.figures.push_back(figure);
    html.pictures["evidence/figures/" + figure.drawing.name + ".svg"] = picture->second.svg;
  }
  for (const kernel::HypothesisRecord& record : study.hypotheses) html.anchors.push_back(record.hypothesis.id);
  html.markdown = report_markdown(report);
  folder.write("report.md", html.markdown, {"The report as Markdown", "", {}});
  folder.write("report.html", html_page(html), {"The report, self-contained", "", {}});
}

std::vector<std::string> build(const PackageInput& input, const std::string& into) {
  const Study& study = input.study;
  Staging folder(into);
  const Drawings all = draw_all(study);
  write_sources(folder, input);
  write_logic(folder, study);
  write_tables(folder, study, all.tables, all.drawn);
  write_figures(folder, all.figures, all.drawn);
  write_results(folder, input);
  write_logs(folder, input);
  write_evidence_index(folder);
  const long long events = write_trace(folder, input);
  folder.write("PAPER.md", paper_page(study, input.tool_version, folder),
               {"What this is, and the index of its layers", "", {}});
  write_report(folder, input, all);
  folder.write("etude.json", seal(input, folder, events), {});
  folder.sync();
  if (all.drawn.trouble.empty()) return {};
  return {"some figures were left out: " + all.drawn.trouble};
}

}  // namespace

kernel::Result<bool> may_replace(const std::string& folder) {
  std::error_code error;
  const fs::path path = placed(folder);
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status))
      return cannot_use(path, "a file stands where the artifact should go", "choose another place with -o");
    const bool empty = fs::is_empty(path, error);
    if (error) return cannot_use(path, "the folder cannot be read: " + error.message(), "choose another place with -o");
    if (!empty && !is_ours(path))
      return cannot_use(path, "the folder is neither empty nor an artifact of ours",
                        "choose another place with -o, or empty it yourself");
  }
  // The artifact is built beside its place, so that is where writing must be possible.
  fs::path above = path.parent_path();
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, error))
    return cannot_use(path, above.string() + " is no folder", "choose another place with -o");
  if (::access(above.c_str(), W_OK | X_OK) != 0)
    return cannot_use(path, "nothing may be written in " + above.string(), "choose another place with -o");
  return true;
}

kernel::Result<Packaged> package(const PackageInput& input, const std::string& output_folder) {
  if (!input.study.outcome) throw std::logic_error("packaging a study that has not concluded");
  if (const auto allowed = may_replace(output_folder); !allowed) return allowed.problem();
  const fs::path target = placed(output_folder);
  const fs::path made = target.parent_path() / ("." + target.filename().string() + ".etude-new");
  fs::create_directories(target.parent_path());
  fs::remove_all(made);
  fs::create_directory(made);
  Packaged packaged;
  try {
    packaged.warnings = build(input, made.string());
    swap_in(made, target);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    throw;
  }
  flush_entry(target.parent_path());
  packaged.path = target.string();
  packaged.report_html = (target / "report.html").string();
  return packaged;
}

}  // namespace artifacts
