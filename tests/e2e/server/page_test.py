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
run: python3 job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
hypotheses:
  - id: H1
    statement: Fast costs less than slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}
design: {replicates: {min: 40, max: 40}}
resources: {timeout: 10m, sandbox: none}
'''


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
        self.assertLess(total, 300_000)


if __name__ == "__main__":
    unittest.main()
