#include "artifacts/export/typeset.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "artifacts/export/paper_latex.h"
#include "artifacts/text/new_file.h"
#include "artifacts/text/untrusted_text.h"
#include "base/scratch_folder.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace artifacts {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds patience{120};
constexpr const char* packages = "apt-get install texlive-latex-base texlive-latex-recommended lmodern";

/// TeX's complaint: the first line of its log that begins with '!', and the line of the source.
std::string complaint(std::string_view output) {
  std::string said;
  for (const std::string_view line : lines_of(output)) {
    if (line.starts_with('!')) said = printable(line);
    if (!said.empty() && line.starts_with("l.")) return shortened(said + " " + printable(line), 300);
  }
  return shortened(said, 300);
}

}  // namespace

Typeset typeset(const std::map<std::string, std::string>& files, const std::string& search_path) {
  const std::string latex = programs::find_on_path("pdflatex", search_path),
                    bibtex = programs::find_on_path("bibtex", search_path);
  if (latex.empty()) return {"", "pdfLaTeX is not installed", packages};
  const bool cites = files.contains(bibtex_file);
  if (cites && bibtex.empty()) return {"", "BibTeX is not installed", packages};
  const kernel::ScratchFolder folder = kernel::ScratchFolder::in_tmp("etude-paper-");
  for (const auto& [path, bytes] : files) {
    fs::create_directories(fs::path(folder.file(path)).parent_path());
    NewFile(folder.file(path), 0644).add(bytes);
  }
  // `p`: TeX reads and writes only below its folder, besides the files of its installation.
  const std::map<std::string, std::string> environment = {
      {"PATH", "/usr/bin:/bin"},   {"LC_ALL", "C.UTF-8"},         {"HOME", folder.path()},
      {"TEXMFVAR", folder.path()}, {"TEXMFHOME", "/nonexistent"}, {"TEXMFCONFIG", "/nonexistent"},
      {"openin_any", "p"},         {"openout_any", "p"},          {"shell_escape", "f"},
      {"SOURCE_DATE_EPOCH", "0"}};
  const std::vector<std::string> limits = {"/usr/bin/prlimit", "--as=2147483648", "--cpu=100", "--fsize=268435456",
                                           "--core=0"};
  const auto run = [&](std::vector<std::string> command) {
    command.insert(command.begin(), limits.begin(), limits.end());
    return programs::run_program({.argv = std::move(command),
                                  .environment = environment,
                                  .directory = folder.path(),
                                  .limit = patience,
                                  .most_output = 1 << 20});
  };
  // Labels of citations and of long tables settle after the second and third time.
  for (int time = 0; time < 3; ++time) {
    const auto ran = run({latex, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "main.tex"});
    if (!ran || ran->exit != 0) {
      const std::string said = ran ? complaint(ran->out) : "";
      const std::string why = said.empty() ? programs::why_no_exit(ran) : said;
      return {"", "pdfLaTeX failed: " + (why.empty() ? "see its log" : why),
              "export it `--to latex`, and mend main.tex"};
    }
    if (time > 0 || !cites) continue;
    const auto cited = run({bibtex, "main"});
    // 1: there are warnings, such as a missing year.
    if (!cited || !cited->exit || *cited->exit > 1)
      return {"", "BibTeX failed", "export it `--to latex`, and mend references.bib"};
  }
  return {file_bytes(folder.file("main.pdf")), "", ""};
}

}  // namespace artifacts
