"""The page, in a real browser on a real server with a real study. Screenshots are kept in the build folder."""
import gzip
import http.client
import json
import pathlib
import re
import subprocess
import threading
import unittest

from harness import ETUDE, NOISY_JOB, PATIENCE, until
from held import HOLD, admit
from served import ServedTest

HERE = pathlib.Path(__file__).resolve().parent


# Eighty registered runs, and three that look whether the code does anything.
STUDY = '''
etude: 1
title: Noisy arms
question: Is fast cheaper?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
hypotheses:
  - id: H1
    statement: Fast costs less than slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}
design: {replicates: {min: 40, max: 40}}
resources: {timeout: 10m, sandbox: none}
'''


# One arm fails on every seed; the verdict on it is then left open.
ANSWERS_JOB = '''
import os, sys
arm, seed = sys.argv[1], int(sys.argv[2])
if arm == "broken":
    print("opening the table", file=sys.stderr)
    raise IndexError("row 4097 is out of range")
value = {"slow": 10.0, "fast": 4.0}[arm] + seed % {"slow": 99991, "fast": 99989}[arm] / 1000000.0
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
'''
ANSWERS = '''
etude: 1
title: Three arms
question: Which arm is the cheapest?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast, broken], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
hypotheses:
  - id: H1
    statement: Fast costs less than half of slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less, margin: {relative: 0.5}}
  - id: H2
    statement: Broken costs less than slow.
    test: {metric: cost, treatment: {arm: broken}, control: {arm: slow}, direction: less}
design: {replicates: {min: 4, max: 4}, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''
TUNED_JOB = '''
import math, os, sys
lr, seed = float(sys.argv[1]), int(sys.argv[2])
last = 1 + (math.log10(lr) + 2) ** 2 + seed * int(7 + 1000 * lr) % 101 / 10000
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.writelines(f'{{"name": "loss", "value": {last + 20 - i}, "step": {i}}}\\n' for i in range(21))
with open(os.environ["ETUDE_OUTPUT"] + "/note.txt", "w") as note:
    note.write(f"lr is {lr}")
'''
TUNED = '''
etude: 1
title: The learning rate
question: Which learning rate gives the lowest loss?
kind: optimize
run: python3 -S job.py {lr} {seed}
factors: {lr: {levels: [0.0001, 0.001, 0.01, 0.1, 1], baseline: 1}}
metrics: {loss: {goal: minimize, primary: true}}
design: {replicates: {min: 2, max: 2}, smoke: false, confirm: {top: 1, replicates: 4}}
budget: {runs: 40}
resources: {timeout: 10m, sandbox: none}
'''
# Two factors, whose settings are lines between two axes.
WIDE_JOB = TUNED_JOB.replace("lr, seed = float(sys.argv[1]), int(sys.argv[2])", "lr, seed, size = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])").replace(
    "+ seed *", "+ size / 100 + seed *")
WIDE = TUNED.replace("{lr} {seed}", "{lr} {seed} {size}").replace("baseline: 1}}", "baseline: 1}, size: {levels: [8, 16, 32], baseline: 8}}").replace(
    "budget: {runs: 40}", "budget: {runs: 60}")


class PageTest(ServedTest):
    pictures = True

    def test_a_study_from_its_beginning_to_a_run_behind_a_claim(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        file = self.held("one")
        text = file.read_text() + "gates: [{on: hypotheses}]\n"
        file.unlink()
        job = file.parent / "job.py"
        once = """out.write(f'{{"name": "cost", "value": {value}}}\\n')"""
        stepwise = """out.writelines(f'{{"name": "cost", "value": {value + 4 - i}, "step": {i}}}\\n' for i in range(5))"""
        self.assertIn(once, job.read_text())
        # Run again, it is in a sandbox, where nobody counts its starts.
        seen, anywhere = 'open(starts, "a")', 'open(starts if os.path.exists(os.path.dirname(starts)) else os.devnull, "a")'
        self.assertIn(seen, job.read_text())
        job.write_text(job.read_text().replace(once, stepwise).replace(seen, anywhere))
        self.serve()
        asked = {"link": self.link, "text": text, "home": str(file.parent), "hold": str(self.tmp / "one.hold")}
        done = subprocess.run(["node", str(HERE / "page.mjs"), str(pictures)], input=json.dumps(asked), text=True,
                              capture_output=True, timeout=4 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(done.stdout, "")
        study = self.get("/studies/s1")
        self.assertEqual(study["outcome"], "concluded")
        self.assertIn("mind the <b>small</b> inputs", json.dumps(study["steering"]))

    def posted(self, name, study, job, jobs=2):
        """The study's id, once it has ended."""
        folder = self.tmp / name
        folder.mkdir()
        (folder / "study.yaml").write_text(study.lstrip())
        (folder / "job.py").write_text(job.lstrip())
        return self.post("/studies", {"path": str(folder / "study.yaml"), "jobs": jobs}, 201)["id"]

    def ended(self, study):
        return until(lambda: (now := self.get(f"/studies/{study}"))["state"] == "ended" and now)

    def test_questions_are_answered_on_the_first_screen_or_one_click_away(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        self.serve()
        arms = self.posted("arms", ANSWERS, ANSWERS_JOB)
        tuned = self.posted("tuned", TUNED, TUNED_JOB)
        self.assertEqual({h["verdict"] for h in self.ended(arms)["hypotheses"]}, {"supported", "inconclusive"})
        self.assertEqual([h["verdict"] for h in self.ended(tuned)["hypotheses"]], ["supported"])
        gated = self.posted("gated", STUDY + "gates: [{on: hypotheses}]\n", NOISY_JOB)
        until(lambda: self.get(f"/studies/{gated}")["gates"])
        hold = self.tmp / "hold"
        hold.touch()
        running = self.posted("running", STUDY + "budget: {runs: 100}\n", f"HOLD = {str(hold)!r}" + HOLD + NOISY_JOB)
        admit(hold, 12)
        until(lambda: self.get(f"/studies/{running}").get("left", {}).get("wall_s"))
        (verdicts,) = [s["verdicts"] for s in self.get("/studies")["items"] if s["id"] == arms]
        self.assertEqual(verdicts, {"supported": 1, "inconclusive": 1})
        asked = {"link": self.link, "arms": arms, "tuned": tuned, "gated": gated, "running": running}
        done = subprocess.run(["node", str(HERE / "page_answers.mjs"), str(pictures)], input=json.dumps(asked), text=True,
                              capture_output=True, timeout=4 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        command, *found = done.stdout.splitlines()
        self.assertEqual(found, [])
        # The command that the page shows fails as the run did.
        self.assertRegex(command, rf"^etude try --run {arms}-r\d+$")
        self.assertIn("row 4097 is out of range", self.etude(*command.split()[1:], code=1).stderr)
        for study in (gated, running):
            self.post(f"/studies/{study}/cancel", {})
        hold.unlink()

    def test_answers_that_are_rare_are_shown_as_they_are(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        self.serve()
        arms = self.posted("arms", ANSWERS, ANSWERS_JOB)
        self.assertGreater(self.ended(arms)["runs"]["failed"], 1)
        done = subprocess.run(["node", str(HERE / "page_mocked.mjs"), str(pictures)], input=json.dumps({"link": self.link, "study": arms}),
                              text=True, capture_output=True, timeout=4 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""))

    def test_each_part_of_the_page_shows_what_it_was_given(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        self.serve()
        tuned = self.posted("tuned", TUNED, TUNED_JOB)
        self.assertEqual([h["verdict"] for h in self.ended(tuned)["hypotheses"]], ["supported"])
        gated = self.posted("gated", STUDY + "gates: [{on: hypotheses}]\n", NOISY_JOB)
        until(lambda: self.get(f"/studies/{gated}")["gates"])
        asked = {"link": self.link, "tuned": tuned, "gated": gated}
        done = subprocess.run(["node", str(HERE / "page_parts.mjs"), str(pictures)], input=json.dumps(asked), text=True,
                              capture_output=True, timeout=4 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""))
        self.post(f"/studies/{gated}/cancel", {})

    def test_runs_are_sorted_by_the_server_and_axes_obey_the_keyboard(self):
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        self.serve()
        searched = self.posted("searched", WIDE, WIDE_JOB)
        self.assertEqual(self.ended(searched)["outcome"], "concluded")
        hold = self.tmp / "hold"
        hold.touch()
        covered = self.posted("covered", STUDY, f"HOLD = {str(hold)!r}" + HOLD + NOISY_JOB)
        admit(hold, 10)
        until(lambda: self.get(f"/studies/{covered}")["runs"]["succeeded"] >= 10)
        asked = {"link": self.link, "searched": searched, "covered": covered}
        done = subprocess.run(["node", str(HERE / "page_tables.mjs"), str(pictures)], input=json.dumps(asked), text=True,
                              capture_output=True, timeout=4 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""))
        self.post(f"/studies/{covered}/cancel", {})
        hold.unlink()

    def test_while_its_server_is_killed_under_load_the_page_loses_nothing(self):
        hold = self.tmp / "hold"
        hold.touch()
        self.study(STUDY, f"HOLD = {str(hold)!r}" + HOLD + NOISY_JOB)
        self.serve()
        study = self.post("/studies", {"path": str(self.dir / "study.yaml"), "jobs": 2}, 201)["id"]
        browser = subprocess.Popen(["node", str(HERE / "page_survives.mjs")], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(browser.kill)
        browser.stdin.write(json.dumps({"link": self.link, "study": study, "runs": 85}) + "\n")
        browser.stdin.flush()
        self.assertEqual(browser.stdout.readline(), "open\n")
        over, asked, unanswered = threading.Event(), [0], [0]

        def ask_on():
            while not over.wait(0.05):
                try:
                    self.get(f"/studies/{study}/runs")
                    asked[0] += 1
                except (OSError, http.client.HTTPException):
                    unanswered[0] += 1  # Nobody is there just now.

        crowd = [threading.Thread(target=ask_on) for _ in range(4)]
        for one in crowd:
            one.start()
        for admitted, ended in ((10, 10), (20, 30), (20, 50)):
            admit(hold, admitted)
            until(lambda: self.get(f"/studies/{study}")["runs"]["succeeded"] >= ended)
            self.assertEqual(self.get(f"/studies/{study}")["state"], "running")
            self.server.kill()
            self.server.wait()
            before = unanswered[0]
            until(lambda: unanswered[0] > before)
            self.serve(port=self.port)
        hold.unlink()
        said, wrong = browser.communicate(timeout=2 * PATIENCE)
        over.set()
        for one in crowd:
            one.join()
        self.assertEqual((said, wrong, browser.returncode), ("", "", 0))
        self.assertGreater(asked[0], 20)
        self.assertEqual(self.get(f"/studies/{study}")["runs"]["lost"], 0)

    def test_the_first_load_is_small_and_all_of_it_is_here(self):
        self.serve()
        index = self.ask("GET", "//", token=False)[1].decode()
        self.assertNotRegex(index, r"https?://(?!www\.w3\.org/)")
        parts = re.findall(r'(?:src|href)="(/[^"]+)"', index)
        self.assertIn("/page.js", parts)
        total = len(gzip.compress(index.encode()))
        for part in parts:
            connection = self.connection()
            connection.request("GET", part, headers={"Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.headers["Content-Encoding"]), (200, "gzip"))
            total += len(answer.read())
            connection.close()
        self.assertLess(total, 250_000)


if __name__ == "__main__":
    unittest.main()
