"""Figures of a study with outcomes and learning curves: their intervals, what is found when they are changed, and the
report in a real browser: values where one points, complete without scripts, with page numbers in print."""
import csv
import json
import math
import pathlib
import shutil
import subprocess
import unittest

from forgery import Forgery, kind, rewritten
from harness import EtudeTest

HERE = pathlib.Path(__file__).resolve().parent
BROWSER = shutil.which("chromium-headless-shell")
FIGURES = "evidence/figures/"

JOB = '''
import json, os, random, sys
arm, seed = sys.argv[1], int(sys.argv[2])
noise = random.Random(seed + (arm == "b"))
with open(os.environ["ETUDE_METRICS"], "w") as out:
    def record(name, value, step):
        print(json.dumps({"name": name, "value": value, "step": step}), file=out)
    for step in range(1, 31):
        record("loss", (2 if arm == "a" else 1.5) / step + 0.1 * noise.random(), step)
    record("solved", 1 if noise.random() < (0.4 if arm == "a" else 0.8) else 0, 30)
'''
STUDY = '''
etude: 1
title: Learning in two arms
question: Does b solve the task more often?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [a, b], baseline: a}}
metrics:
  solved: {goal: maximize, primary: true, type: proportion}
  loss: {unit: nats, goal: minimize}
hypotheses:
  - id: H1
    statement: Arm b solves the task more often than arm a.
    test: {metric: solved, treatment: {arm: b}, control: {arm: a}, direction: greater}
  - id: H2
    statement: Arm b ends with a lower loss than arm a.
    test: {metric: loss, treatment: {arm: b}, control: {arm: a}, direction: less}
design: {replicates: {min: 8, max: 8}}
resources: {timeout: 1m}
'''


def wilson(successes, n, z=1.959963984540054):
    """The score interval, as Wilson (1927) gives it."""
    p = successes / n
    middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return [(middle + sign * spread) / (1 + z * z / n) for sign in (-1, 1)]


maker = EtudeTest("run_study")


def setUpModule():
    maker.pictures = True
    maker.setUp()
    maker.study(STUDY, JOB)
    FiguresTest.artifact = pathlib.Path(maker.run_study()["artifact"])


def tearDownModule():
    maker.tearDown()


class FiguresTest(EtudeTest):
    pictures = True
    artifact = None

    def rows(self, name):
        with open(self.artifact / FIGURES / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_every_figure_has_all_its_files_and_the_log_has_their_hashes(self):
        names = {path.stem for path in (self.artifact / FIGURES).iterdir()}
        self.assertEqual(names, {"effects_E01", "means_E01_solved", "means_E01_loss", "runs_E01_loss", "curves_E01_loss"})
        logged = [json.loads(line) for line in (self.artifact / "trace/events.jsonl").read_text().splitlines()]
        drawn = {file["path"] for event in logged if event["type"] == "PicturesDrawn" for file in event["payload"]["files"]}
        for name in names:
            for ending in ("svg", "png", "pdf", "csv", "md"):
                self.assertTrue((self.artifact / f"{FIGURES}{name}.{ending}").stat().st_size > 100, (name, ending))
            self.assertLessEqual({f"{FIGURES}{name}.{ending}" for ending in ("svg", "png", "pdf")}, drawn)
            self.assertTrue((self.artifact / f"{FIGURES}{name}.pdf").read_bytes().startswith(b"%PDF"))
        report = self.json("audit", self.artifact, "--strict")
        self.assertEqual((report["ok"], report["findings"]), (True, []))

    def test_outcomes_have_the_intervals_of_shares(self):
        with open(self.artifact / "evidence/results/E01.csv", newline="") as file:
            runs = list(csv.DictReader(file))
        for row in self.rows("means_E01_solved.csv"):
            values = [float(run["solved"]) for run in runs if run["arm"] == row["arm"] and run["evidence"] == "true"]
            low, high = wilson(sum(values), len(values))
            self.assertAlmostEqual(float(row["mean"]), sum(values) / len(values), 12)
            self.assertAlmostEqual(float(row["low_95"]), low, 12)
            self.assertAlmostEqual(float(row["high_95"]), high, 12)
            self.assertEqual(row["interval"], "Wilson's scores")
        self.assertEqual({row["interval"] for row in self.rows("means_E01_loss.csv")}, {"Student's t"})

    def test_curves_are_the_means_of_the_points(self):
        points = {}
        with open(self.artifact / "evidence/results/E01.csv", newline="") as file:
            arms = {run["run"]: run["arm"] for run in csv.DictReader(file) if run["evidence"] == "true"}
        with open(self.artifact / "evidence/results/E01_points.csv", newline="") as file:
            for point in csv.DictReader(file):
                if point["metric"] == "loss" and point["run"] in arms:
                    points.setdefault((arms[point["run"]], point["step"]), []).append(float(point["value"]))
        rows = self.rows("curves_E01_loss.csv")
        self.assertEqual(len(rows), len(points))
        for row in rows:
            values = points[row["arm"], row["step"]]
            self.assertEqual(int(row["n"]), len(values))
            self.assertAlmostEqual(float(row["mean"]), sum(values) / len(values), 12)
            self.assertLess(float(row["low_95"]), float(row["mean"]))

    def test_a_changed_picture_or_value_is_found(self):
        for name, rule in ((FIGURES + "curves_E01_loss.svg", "changed-evidence"),
                           (FIGURES + "curves_E01_loss.pdf", "changed-evidence"),
                           (FIGURES + "runs_E01_loss.csv", "changed-line")):
            forged = Forgery(self.artifact, self.tmp / "forged")
            file = forged.root / name
            file.write_bytes(file.read_bytes().replace(b"loss", b"lost", 1) if name.endswith(("svg", "csv"))
                             else (self.artifact / FIGURES / "effects_E01.pdf").read_bytes())
            forged.seal()
            found = {(f["rule"], f["file"]) for f in self.json("audit", forged.root, code=1)["findings"]}
            self.assertIn((rule, name), found)
            shutil.rmtree(forged.root)

    def test_a_picture_that_the_log_does_not_name_is_none_of_the_record(self):
        forged = Forgery(self.artifact, self.tmp / "forged")

        def unname(payload):
            payload["files"] = [file for file in payload["files"] if "curves_" not in file["path"]]

        forged.relog(lambda lines: [rewritten(line, unname) if kind(line) == "PicturesDrawn" else line for line in lines])
        found = {(f["rule"], f["file"]) for f in self.json("audit", forged.root, code=1)["findings"]}
        for ending in ("svg", "png", "pdf"):
            self.assertIn(("unrecorded-file", f"{FIGURES}curves_E01_loss.{ending}"), found)

    @unittest.skipUnless(BROWSER and shutil.which("node"), "needs chromium-headless-shell and node")
    @unittest.skipUnless((HERE.parents[1] / "peers/node_modules/playwright-core").exists(), "needs playwright-core")
    def test_the_report_in_a_browser(self):
        done = subprocess.run(["node", HERE / "report.mjs", self.artifact / "report.html", self.tmp / "report.pdf"],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        if shutil.which("pdftotext"):
            text = subprocess.run(["pdftotext", self.tmp / "report.pdf", "-"], capture_output=True, text=True).stdout
            pages = text.count("\f")
            self.assertGreater(pages, 2)
            self.assertIn(f"Page {pages} of {pages}", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
