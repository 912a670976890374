#include "artifacts/text/latex.h"

#include <catch2/catch.hpp>

using namespace artifacts;

TEST_CASE("text in LaTeX reads as itself whatever it holds") {
  CHECK(in_latex("100 % of a_b & c #1 $x$") == "100 \\% of a\\_b \\& c \\#1 \\$x\\$");
  CHECK(in_latex("\\input{/etc/passwd}") == "\\textbackslash{}input\\{/\\allowbreak{}etc/\\allowbreak{}passwd\\}");
  CHECK(in_latex("~^\"`") == "\\textasciitilde{}\\textasciicircum{}\\textquotedbl{}\\textasciigrave{}");
  CHECK(in_latex("^^5cwrite18") == "\\textasciicircum{}\\textasciicircum{}5cwrite18");
  // Behind a line's end they would belong to it.
  CHECK(in_latex("[2cm] *") == "{[}2cm{]} {*}");
  CHECK(in_latex("a -- b --- ,, << '' >>") == "a -{}- b -{}-{}- ,{}, <{}< '{}' >{}>");
  CHECK(in_latex("a\nb\tc") == "a b c");
}

TEST_CASE("characters that the fonts lack are named") {
  CHECK(in_latex("é ≤ α × “q”") ==
        "é \\ensuremath{\\leq} \\ensuremath{\\alpha} \\texttimes{} \\textquotedblleft{}q\\textquotedblright{}");
  CHECK(in_latex("中 \u202e \U0001f600") == "{[}U+4E2D{]} {[}U+202E{]} {[}U+1F600{]}");
  CHECK(in_latex("a\xff") == "a{[}U+FFFD{]}");
}

TEST_CASE("long words may be broken") {
  const std::string hash = in_latex_code(std::string(64, 'f'));
  CHECK(hash == "\\texttt{" + std::string(16, 'f') + "\\allowbreak{}" + std::string(16, 'f') + "\\allowbreak{}" +
                    std::string(16, 'f') + "\\allowbreak{}" + std::string(16, 'f') + "\\allowbreak{}}");
}

TEST_CASE("braces in BibTeX are balanced") {
  CHECK(in_bibtex("a } b { c") == "{a \\textbraceright{} b \\textbraceleft{} c}");
  CHECK(in_bibtex_name("Kingma, Diederik P.") == "Kingma, Diederik P.");
}

TEST_CASE("Markdown becomes LaTeX") {
  CHECK(latex_of_markdown("## A & B\n\nText *e* **s** `c_d` [link](x.md).\n") ==
        "\\section{A \\& B}\n\nText \\emph{e} \\textbf{s} \\texttt{c\\_\\allowbreak{}d} link.\n\n");
  CHECK(latex_of_markdown("### Sub\n") == "\\subsection{Sub}\n\n");
  CHECK(latex_of_markdown("- a\n- b\n") == "\\begin{itemize}\n\\item{} a\n\n\\item{} b\n\n\\end{itemize}\n\n");
  CHECK(latex_of_markdown("<script>x</script>\n").empty());
  CHECK(latex_of_markdown("![picture](x.png)\n") == "picture\n\n");
  const std::string table = latex_of_markdown("| A | B |\n|---|--:|\n| [x] | \\\\end{longtable} |\n");
  CHECK(table.find("{[}x{]} & \\textbackslash{}end\\{longtable\\} \\tabularnewline\n") != std::string::npos);
}

TEST_CASE("lists are no deeper than LaTeX allows") {
  std::string markdown;
  for (int depth = 0; depth < 7; ++depth) markdown += std::string(static_cast<std::size_t>(2 * depth), ' ') + "- x\n";
  const std::string latex = latex_of_markdown(markdown);
  int lists = 0;
  for (std::size_t at = 0; (at = latex.find("\\begin{itemize}", at)) != latex.npos; ++at) ++lists;
  CHECK(lists == 4);
}
