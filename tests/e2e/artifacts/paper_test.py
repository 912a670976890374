"""An artifact leaves as a paper: LaTeX sources, and the PDF that TeX makes of them. Text of others stays text."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from harness import PATIENCE, STUDY, EtudeTest

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "artifacts/corpus"
TEX = shutil.which("pdflatex") and shutil.which("bibtex")
HOSTILE = r"\input{/etc/passwd} \write18{touch /tmp/etude-18} ^^5cend {document} $x_1^2$ & 50 % of #1 ~ [2cm] 'q' \\ 中 → é"
REFS = r"""@article{knuth_1998, title = {Sorting \& Searching, 100\% of it}, author = {Knuth, Donald E. and Smith & Sons},
  journal = {J. of #1 Tests}, year = 1998, doi = {10.1000/a_b}}
"""

maker = EtudeTest("run_study")


def setUpModule():
    maker.setUp()
    quoted = json.dumps(HOSTILE, ensure_ascii=False)
    text = STUDY.replace("Fast against slow", quoted).replace("Is fast cheaper than slow?", quoted)
    text = text.replace("unit: s,", 'unit: "\\\\s_%{",').replace("it does less work", "it does less work, as in [@knuth_1998]")
    text = text.replace("Fast costs more than slow.", quoted)
    maker.write("refs.bib", REFS)
    maker.study(text + "references: refs.bib\n")
    Papers.made = maker.run_study()
    Papers.ara = pathlib.Path(Papers.made["artifact"])


def tearDownModule():
    maker.tearDown()


class Papers(EtudeTest):
    pictures = True

    def latex(self, ara, name="paper"):
        self.etude("export", ara, "--to", "latex", "-o", self.tmp / name)
        return (self.tmp / name / "main.tex").read_text()

    def pdf_text(self, pdf):
        done = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_sources_have_what_the_paper_says(self):
        tex = self.latex(self.ara)
        sections = re.findall(r"\\section\{([^}]*)\}", tex)
        self.assertEqual(sections, ["Overview", "Results", "Methods", "Limitations", "What agents changed", "Related work",
                                    "Data and code availability", "Reproduction", "Figures"])
        self.assertIn(self.made["head"][:16], tex)
        for word in re.findall(r"\d+\.\d+", (self.ara / "PAPER.md").read_text().split("## Layer Index")[0].split("---", 2)[2]):
            self.assertIn(word, tex)
        self.assertIn("\\cite{", tex)
        bib = (self.tmp / "paper/references.bib").read_text()
        self.assertIn("doi:10.1000/", bib)
        for picture in re.findall(r"\\includegraphics\[[^]]*\]\{([^}]*)\}", tex):
            self.assertTrue((self.tmp / "paper" / picture).read_bytes().startswith(b"%PDF"), picture)
        self.assertGreater(len(list((self.tmp / "paper/figures").iterdir())), 1)

    def test_text_of_others_is_no_command(self):
        tex = self.latex(self.ara) + (self.tmp / "paper/references.bib").read_text()
        self.assertIn("\\textbackslash{}input\\{", tex)
        for bad in ("\\input", "\\write", "^^", "\\begin{document}\n\\end", "中"):
            self.assertNotIn(bad, tex)
        self.assertEqual(tex.count("\\end{document}"), 1)

    def test_a_pdf_in_which_hostile_text_is_text(self):
        if not TEX:
            self.skipTest("no pdflatex and bibtex")
        self.etude("export", self.ara, "--to", "pdf", "-o", self.tmp / "paper.pdf")
        text = self.pdf_text(self.tmp / "paper.pdf")
        for said in (r"\input{/etc/passwd}", r"\write18{touch", "50 % of #1", "[U+4E2D]", "Knuth", "[1]"):
            self.assertIn(said, " ".join(text.split()))
        self.assertNotIn("root:", text)
        self.assertNotIn("[?]", text, "every citation has its entry")
        self.assertFalse(pathlib.Path("/tmp/etude-18").exists())

    def test_papers_of_others(self):
        for name in ("andes", "resnet", "minimal"):
            self.assertTrue(self.latex(CORPUS / name, name).rstrip().endswith("\\end{document}"))
            if TEX:
                self.etude("export", CORPUS / name, "--to", "pdf", "-o", self.tmp / f"{name}.pdf")
                self.assertTrue(self.pdf_text(self.tmp / f"{name}.pdf").strip())

    def test_without_tex_the_package_is_named_and_nothing_is_left(self):
        tools = self.tmp / "bin"
        tools.mkdir()
        for tool in ("gnuplot", "python3"):
            if shutil.which(tool):
                (tools / tool).symlink_to(shutil.which(tool))
        done = self.etude("export", self.ara, "--to", "pdf", "-o", self.tmp / "x.pdf", code=3,
                          env={**os.environ, "PATH": str(tools)})
        self.assertRegex(done.stderr, "pdfLaTeX is not installed.*texlive-latex-base")
        self.assertEqual([p.name for p in self.tmp.iterdir() if "x.pdf" in p.name], [])

    def test_sources_that_people_may_have_changed_are_never_replaced(self):
        self.latex(self.ara)
        (self.tmp / "paper/main.tex").write_text("mine")
        done = self.etude("export", self.ara, "--to", "latex", "-o", self.tmp / "paper", "--force", code=2)
        self.assertIn("holds something else", done.stderr)
        self.assertEqual((self.tmp / "paper/main.tex").read_text(), "mine")


if __name__ == "__main__":
    unittest.main(verbosity=2)
