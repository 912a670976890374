#include "artifacts/export/paper_latex.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "artifacts/figures/figures.h"
#include "artifacts/figures/gnuplot.h"
#include "artifacts/read/record.h"
#include "artifacts/text/latex.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/binding/known_facts.h"

namespace artifacts {
namespace {

constexpr std::uint64_t most_of_paper = 16u << 20, most_of_picture = 32u << 20;
constexpr std::size_t most_figures = 24;

/// A section of PAPER.md.
struct Section {
  std::string heading;  ///< Empty before the first heading.
  std::string markdown;
};

/// Without front matter, title and Layer Index, whose links lead nowhere on paper.
std::vector<Section> sections_of(std::string_view page) {
  std::vector<Section> sections(1);
  bool front = page.starts_with("---\n"), fenced = false, first = true;
  for (std::string_view line : lines_of(page)) {
    if (front) {
      front = first || line != "---";
      first = false;
      continue;
    }
    if (line.starts_with("```")) fenced = !fenced;
    if (!fenced && line.starts_with("# ")) continue;
    if (!fenced && line.starts_with("## ")) {
      sections.push_back({std::string(trimmed(line.substr(3))), ""});
      continue;
    }
    (sections.back().markdown += line) += '\n';
  }
  std::erase_if(sections, [](const Section& one) {
    return same_word(one.heading, "Layer Index") || trimmed(one.markdown).empty();
  });
  return sections;
}

struct Shown {
  std::string title, caption, file;
};

/// The figures of the record; learning curves from the points that the artifact has.
std::vector<Figure> figures_of(const SafeRoot& root, const kernel::Study& study) {
  std::vector<Figure> figures = search_figures(study);
  const auto add = [&](std::vector<Figure> more) {
    for (Figure& figure : more) figures.push_back(std::move(figure));
  };
  for (const kernel::Experiment& experiment : study.experiments) {
    add(effects_figures(study, experiment, FigureStyle::newest));
    add(means_figures(study, experiment, FigureStyle::newest));
    add(runs_figures(study, experiment));
    const auto points = read_points(root, experiment.registration.experiment);
    if (!points) continue;
    add(curve_figures(study, experiment, [&](const kernel::Run& run) {
      const auto found = points->find(study.run_id(run.number));
      return found == points->end() ? std::vector<kernel::MetricPoint>() : found->second.points;
    }));
  }
  return figures;
}

/// Draws the figures again from the record, as vectors.
std::string draw_figures(const SafeRoot& root, const RecordedLog& log, std::vector<Shown>& shown, LatexPaper& paper) {
  std::vector<Figure> figures = figures_of(root, log.study);
  if (figures.size() > most_figures) figures.resize(most_figures);
  std::vector<Drawing> drawings;
  for (const Figure& figure : figures) drawings.push_back(figure.drawing);
  const Drawn drawn = draw(drawings, Formats::pdf);
  for (const Figure& figure : figures) {
    const auto found = drawn.pictures.find(figure.drawing.name);
    if (found == drawn.pictures.end()) continue;
    shown.push_back({figure.title, figure.caption, "figures/" + figure.drawing.name + ".pdf"});
    paper.files[shown.back().file] = found->second.pdf;
  }
  return drawn.trouble;
}

/// The pictures of the artifact, as it has them.
void take_pictures(const SafeRoot& root, const Artifact& artifact, std::vector<Shown>& shown, LatexPaper& paper) {
  for (const Entry& entry : artifact.files.entries) {
    if (shown.size() == most_figures) return;
    if (entry.kind != FileKind::regular || entry.link || !entry.path.starts_with("evidence/figures/") ||
        !entry.path.ends_with(".png"))
      continue;
    FileBytes picture = root.read(entry.path, most_of_picture);
    if (picture.kind != FileKind::regular || !picture.bytes.starts_with("\x89PNG\r\n")) continue;
    const std::string name = fmt::format("figures/figure{}.png", shown.size() + 1);
    shown.push_back({entry.path.substr(entry.path.rfind('/') + 1), "", name});
    paper.files[name] = std::move(picture.bytes);
  }
}

std::string figures_section(const std::vector<Shown>& shown) {
  if (shown.empty()) return "";
  std::string text = "\\section{Figures}\n\n";
  int number = 0;
  for (const Shown& figure : shown)
    text += fmt::format(
        "\\begin{{minipage}}{{\\linewidth}}\n\\centering\n\\includegraphics[width=0.86\\linewidth,"
        "height=0.6\\textheight,keepaspectratio]{{{}}}\\par\n\\small\\textbf{{Figure {}.}} {}. {}\\par\n"
        "\\end{{minipage}}\\par\\bigskip\n\n",
        figure.file, ++number, in_latex(figure.title), in_latex(figure.caption));
  return text;
}

bool is_plain_key(const std::string& key) {
  return !key.empty() &&
         std::ranges::all_of(key, [](char c) { return is_alnum(c) || c == '-' || c == ':' || c == '.'; });
}

/// A name as BibTeX takes it apart; as a whole if that could fail.
std::string bibtex_author(const std::string& name) {
  const bool odd = std::ranges::count(name, ',') > 2 || name.find(" and ") != name.npos || trimmed(name).empty();
  return odd ? in_bibtex(name) : in_bibtex_name(name);
}

std::string bibtex_entry(const kernel::Work& work, const std::string& key) {
  const bool article = work.type == "article", proceedings = work.type == "inproceedings";
  std::string entry =
      fmt::format("@{}{{{},\n", article || proceedings || work.type == "book" ? work.type : "misc", key);
  const auto put = [&](std::string_view field, const std::string& value) {
    if (!value.empty()) entry += fmt::format("  {} = {{{}}},\n", field, value);
  };
  std::string authors;
  for (const std::string& author : work.authors) authors += (authors.empty() ? "" : " and ") + bibtex_author(author);
  put("author", authors);
  put("title", in_bibtex(work.title));
  put("year", work.year.empty() ? "" : in_bibtex(work.year));
  if (!work.venue.empty()) put(article ? "journal" : proceedings ? "booktitle" : "howpublished", in_bibtex(work.venue));
  const std::string place = !work.doi.empty()     ? "doi:" + work.doi
                            : !work.arxiv.empty() ? "arXiv:" + work.arxiv
                                                  : work.url;
  if (!place.empty()) put("note", in_bibtex(place));
  return entry + "}\n\n";
}

/// Writes references.bib, and gives the sentence that cites its works.
std::string cite(const kernel::Study& study, LatexPaper& paper) {
  std::string bib, cited;
  std::set<std::string> keys;
  for (const kernel::CitedWork& one : kernel::cited_works(study)) {
    std::string key = one.work->key;
    if (!is_plain_key(key) || !keys.insert(key).second) {
      key = fmt::format("work-{}", keys.size() + 1);
      keys.insert(key);
    }
    bib += bibtex_entry(*one.work, key);
    cited += fmt::format("{}\\cite{{{}}}", cited.empty() ? "" : ", ", key);
  }
  if (bib.empty()) return "";
  paper.files[bibtex_file] = bib;
  return "In the references: " + cited + ".\n\n";
}

std::string again(const RecordedLog& log) {
  std::string text = "\\section{Reproduction}\n\nThe head of the artifact's event log is " + in_latex_code(log.head) +
                     ". " + in_latex_code("etude audit ARA --head HEAD") +
                     " computes every number again from that log.";
  if (!log.study.spec.captured())
    text += " " + in_latex_code("etude reproduce ARA") + " runs the registered design again.";
  return text + "\n\n";
}

std::string top(const PaperPage& page) {
  std::string text = latex_preamble();
  text += fmt::format("\n\\title{{{}}}\n", in_latex(page.title.empty() ? "An untitled artifact" : page.title));
  std::string authors;
  for (const std::string& author : page.authors) authors += (authors.empty() ? "" : " \\and ") + in_latex(author);
  text +=
      fmt::format("\\author{{{}}}\n\\date{{{}}}\n\n\\begin{{document}}\n\\maketitle\n\n", authors, in_latex(page.year));
  if (!page.abstract.empty())
    text += fmt::format("\\begin{{abstract}}\n{}\n\\end{{abstract}}\n\n", in_latex(page.abstract));
  return text;
}

}  // namespace

LatexPaper latex_paper(const SafeRoot& root, const Artifact& artifact) {
  LatexPaper paper;
  const auto log = read_log(root);
  const bool recorded = log && can_be_computed(log->study);
  std::vector<Shown> shown;
  if (recorded) paper.trouble = draw_figures(root, *log, shown, paper);
  if (shown.empty()) take_pictures(root, artifact, shown, paper);
  const std::string cited = recorded ? cite(log->study, paper) : "";
  std::string text = top(artifact.paper);
  bool said = cited.empty();
  for (const Section& section : sections_of(clean(root.read("PAPER.md", most_of_paper).bytes).text)) {
    text += latex_of_markdown((section.heading.empty() ? "" : "## " + section.heading + "\n\n") + section.markdown);
    if (said || !same_word(section.heading, "Related work")) continue;
    text += cited;
    said = true;
  }
  if (!said) text += "\\section{Related work}\n\n" + cited;
  if (recorded) text += again(*log);
  text += figures_section(shown);
  if (paper.files.contains(bibtex_file)) text += "\\bibliographystyle{plain}\n\\bibliography{references}\n\n";
  paper.files[latex_file] = text + "\\end{document}\n";
  return paper;
}

}  // namespace artifacts
