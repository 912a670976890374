"""The artifacts of the examples: no finding, and a reader finds what a reader asks. ETUDE_EXAMPLES: names, or `all`."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from harness import PATIENCE, EtudeTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CFFCONVERT = ROOT / "tests/peers/venv/bin/cffconvert"
# The others take longer than a test may.
QUICK = "monte-carlo"


def chosen():
    # One has answers of a model as its data.
    every = sorted(path.parent.name for path in (ROOT / "examples").glob("*/study.yaml")
                   if not (path.parent / "items.jsonl").exists() or (path.parent / "answers_plain.jsonl").exists())
    names = os.environ.get("ETUDE_EXAMPLES", QUICK)
    return every if names == "all" else names.split()


def questions():
    """What docs/artifact.md says where a reader's questions are answered: question, file, heading."""
    lines = re.findall(r"^\| (.+\?) \| `(.+)`, (.+) \|$", (ROOT / "docs/artifact.md").read_text(), re.M)
    assert len(lines) == 10, lines
    return lines


def section(page, heading):
    found = re.search(rf"^(#+) {re.escape(heading)}$(.*?)(?=^\1 |\Z)", page, re.M | re.S)
    return found[2].strip() if found else ""


class Examples(EtudeTest):
    pictures = True

    def test_the_artifact_of_an_example_has_no_finding_and_answers_a_readers_questions(self):
        for name in chosen():
            with self.subTest(example=name):
                self.look_at(name)

    def look_at(self, name):
        folder = self.tmp / name
        shutil.copytree(ROOT / "examples" / name, folder)
        study = self.lines("run", folder / "study.yaml", "-j", "2", timeout=20 * PATIENCE)[-1]
        self.assertEqual(study["outcome"], "concluded")
        ara = folder / "study-ara"
        # Both voices: the published rules strictly, and ours.
        report = self.json("check", "--strict", ara)
        self.assertEqual((report["ok"], report["errors"], report["warnings"]), (True, 0, 0), report["findings"])
        self.etude("audit", ara, "--head", study["head"])
        for question, file, heading in questions():
            with self.subTest(question=question):
                said = section((ara / file).read_text(), heading)
                self.assertGreater(len(said), 20, f"{file}, {heading}")
        overview = section((ara / "PAPER.md").read_text(), "Overview")
        for hypothesis in study["hypotheses"]:
            words = hypothesis["verdict"].replace("_", " ")
            [line] = [line for line in overview.splitlines() if f"{hypothesis['id']} ({words})" in line]
            # Its size, with an interval.
            self.assertRegex(line, r"\d.*\[.*\d.*\]", name)
        if CFFCONVERT.exists():
            done = subprocess.run([CFFCONVERT, "--validate", "-i", ara / "CITATION.cff"], capture_output=True, text=True,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
