"""A study as a folder that a browser opens without a server (`etude export --to page`)."""
import json
import pathlib
import subprocess
import unittest

from harness import PATIENCE, ETUDE, EtudeTest

HERE = pathlib.Path(__file__).resolve().parent
HOSTILE = '</script><script>document.title = "taken"</script><img src=x onerror=alert(1)>'

# A curve and a long log for every run; one arm fails. A level's name would change every object that is written as code.
JOB = '''
import os, sys
arm, seed = sys.argv[1], int(sys.argv[2])
if arm == "broken":
    print("opening the table", file=sys.stderr)
    raise IndexError("row 4097 is out of range")
print("the first line")
print("a long line\\n" * 6000 + "the last line of", arm)
value = {"__proto__": 10.0, "fast": 4.0}[arm] + seed % {"__proto__": 99991, "fast": 99989}[arm] / 1000000.0
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.writelines(f'{{"name": "cost", "value": {value + 4 - i}, "step": {i}}}\\n' for i in range(5))
with open(os.environ["ETUDE_OUTPUT"] + "/note.txt", "w") as note:
    note.write("a note")
'''
STUDY = f'''
etude: 1
title: {json.dumps(HOSTILE)}
question: Which arm is the cheapest?
run: python3 -S job.py {{arm}} {{seed}}
factors: {{arm: {{levels: [__proto__, fast, broken], baseline: __proto__}}}}
metrics: {{cost: {{unit: s, goal: minimize, primary: true}}}}
hypotheses:
  - id: H1
    statement: Fast costs less than half of the other.
    test: {{metric: cost, treatment: {{arm: fast}}, control: {{arm: __proto__}}, direction: less, margin: {{relative: 0.5}}}}
  - id: H2
    statement: Broken costs less than the other.
    test: {{metric: cost, treatment: {{arm: broken}}, control: {{arm: __proto__}}, direction: less}}
design: {{replicates: {{min: 4, max: 4}}, smoke: false}}
resources: {{timeout: 10m, sandbox: none}}
'''


class ShareTest(EtudeTest):
    def test_the_page_of_a_study_opens_without_a_server(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        self.study(STUDY, JOB)
        study = self.run_study()
        self.assertEqual([h["verdict"] for h in study["hypotheses"]], ["supported", "inconclusive"])
        said = self.json("export", study["id"], "--to", "page", "-o", "copy")
        copy = self.dir / "copy"
        files = sorted(path.name for path in copy.iterdir())
        self.assertEqual(files, ["index.html", "page.css", "page.js", "report.html", "study.js"])
        runs = self.lines("runs", study["id"])
        good = sum(run["state"] == "succeeded" for run in runs)
        self.assertEqual(said["left_out"], [f"the beginning of {good} logs longer than 64 kB",
                                            f"the content of {good} output files"])
        shown = next(run["id"] for run in runs if run["state"] == "succeeded")
        asked = {"copy": str(copy / "index.html"), "title": HOSTILE, "study": study["id"], "run": shown, "runs": len(runs),
                 "good": good}
        done = subprocess.run(["node", str(HERE / "share.mjs"), str(pictures)], input=json.dumps(asked), text=True,
                              capture_output=True, timeout=2 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""))

        # Another export replaces only such a folder.
        self.assertIn("it already exists", self.etude("export", study["id"], "--to", "page", "-o", "copy", code=2).stderr)
        self.etude("export", study["id"], "--to", "page", "-o", "copy/", "--force")
        self.assertEqual(sorted(path.name for path in copy.iterdir()), files)
        self.write("other/file", "mine")
        self.assertIn("holds something else",
                      self.etude("export", study["id"], "--to", "page", "-o", "other", "--force", code=2).stderr)
        self.assertIn("study `s7`", self.etude("export", "s7", "--to", "page", "-o", "x", code=2).stderr)
        self.assertEqual([path.name for path in self.dir.glob(".*")], [])
    def test_what_is_withheld_in_the_page_is_not_in_the_copy(self):
        self.study(STUDY + "budget: {runs: 6}\n", JOB)
        study = self.run_study(code=4)["id"]
        self.etude("export", study, "--to", "page", "-o", "copy")
        first = (self.dir / "copy/study.js").read_text().splitlines()[0]
        data = json.loads(json.loads(first.removeprefix("etude_shared = JSON.parse(").removesuffix(");")))
        withheld = [run for run in data["runs"] if run["withheld"] and run["state"] == "succeeded"]
        self.assertTrue(withheld)
        self.assertEqual([run["metrics"] for run in withheld], [{"cost": None}] * len(withheld))
        curves = data["answers"][f'/studies/{study}/curves?["cost","step","linear"]']["json"]
        self.assertEqual((curves["withheld"], curves["y"]), (len(withheld), []))
        for run in withheld:
            self.assertEqual(data["answers"][f"/runs/{run['id']}/log?stream=stdout"]["status"], 403)
            self.assertNotIn(f"/runs/{run['id']}/metrics", data["answers"])
        self.assertNotIn("report.html", [path.name for path in (self.dir / "copy").iterdir()])


if __name__ == "__main__":
    unittest.main()
