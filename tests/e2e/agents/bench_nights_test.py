"""`etude bench autoresearch`: a night with an idea that does not run, one that is lucky on one seed, and one that helps; killed
in its middle, and continued. What each is worth is known beforehand."""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import threading
import unittest

from harness import ETUDE, EtudeTest, until
from scripted_model import ScriptedModel

TRAINING = pathlib.Path(__file__).resolve().parents[3] / "benchmarks/texts/night/train.py"
FLOOR, RETEST, CONFIRM = 3, 2, 3
DONE = [("finish", {"summary": "It changes how the model is trained."})] * 2

LINE = [line.split(" ")[0] for line in TRAINING.read_text().splitlines()].index("LEARNING_RATE") + 1
REQUIRED = [("read_file", {"path": "train.py"}),
            ("bind_requirement", {"of": "method", "text": "It has a rate of its own.", "file": "train.py", "from_line": LINE}),
            ("finish", {"summary": "That is all."})]


def rate(text, old="0.05"):
    return [("edit_file", {"path": "train.py", "old": f"LEARNING_RATE = {old}", "new": f"LEARNING_RATE = {text}"})] + DONE


class Ideas(ScriptedModel):
    """The second idea trains well on one seed, that of its first run, and hardly at all on others. The first request for it
    waits until the test lets it go."""

    def __init__(self, seeds):
        super().__init__({})
        self.seeds, self.second, self.go_on = seeds, threading.Event(), threading.Event()

    def reply(self, request):
        system, task = request["messages"][0]["content"], request["messages"][1]["content"]
        step = re.search(r"^## Your step\n\n[a-z]+-(\d+):", task, re.M)
        if step and step[1] == "2" and not self.go_on.is_set():
            self.second.set()
            self.go_on.wait()
        self.scripts = {system: self.idea(int(step[1]))} if step else {"you say what is required of a version": REQUIRED}
        return super().reply(request)

    def idea(self, number):
        if number == 1:
            return rate("fast")  # A name that nobody knows.
        if number == 2:  # Corrects the first.
            return rate(f"1.0 if sys.argv[1] == '{self.seeds()[FLOOR + 1 + RETEST]}' else 1e-6", "fast")
        return rate("1.0")


class Nights(EtudeTest):
    def setUp(self):
        super().setUp()
        if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], capture_output=True).returncode:
            self.skipTest("python3-numpy is not installed")
        rng = random.Random(4)
        words = "cat dog bird sees hears follows man house tree slowly again and".split()
        for name, length in (("train", 2000), ("val", 60), ("test", 60)):
            self.write(f"text/{name}.txt", " ".join(rng.choice(words) for _ in range(length)))
        self.model = Ideas(lambda: next(e["payload"]["plan"]["registered"]["seeds"] for e in self.lines("log", "s1")
                                        if e["type"] == "SearchRegistered"))
        self.addCleanup(self.model.close)
        self.addCleanup(self.model.go_on.set)
        self.config = self.write("config.yaml", f"""
            providers:
              mock: {{api: openai, base_url: "{self.model.url}", timeouts: {{first_byte: 4m, total: 10m}}}}
            models:
              small: {{provider: mock, model: mock-1, prices: {{input: 3, output: 15}}, max_output: 1000}}
            profiles:
              mock: {{default: small}}
            """)
        self.options = ["--agents", "mock", "-o", self.tmp / "nights", "--text", "text", "--seconds", "0.05", "--ideas", "3",
                        "--floor", str(FLOOR), "--retest", str(RETEST), "--confirm", str(CONFIRM), "-j", "2"]

    def bench(self, *more, code=0):
        return self.etude("--config", self.config, "bench", "autoresearch", *self.options, *more, code=code)

    def test_a_night_that_was_killed_goes_on_and_finds_what_is_known_of_it(self):
        process = subprocess.Popen([ETUDE, "--home", self.home, "--config", self.config, "bench", "autoresearch", *self.options],
                                   cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertTrue(self.model.second.wait(600))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.model.go_on.set()
        until(lambda: self.json("show", "s1")["state"] == "paused")
        result = json.loads(self.bench("--json").stdout)
        night, = result["nights"]
        self.assertEqual({name: night[name] for name in ("end", "verdict", "tried", "failed", "promising", "kept", "version", "lines")},
                         {"end": "confirmed", "verdict": "supported", "tried": 3, "failed": 1, "promising": 2, "kept": 1,
                          "version": "v3", "lines": 1})
        self.assertGreater(night["gain"], 0.3)
        self.assertTrue(0 < night["low"] < night["gain"] < night["high"])
        runs = self.lines("runs", "s1")
        self.assertEqual(len(runs), FLOOR + 3 + 2 * 2 * RETEST + 2 * CONFIRM)
        confirmed = {label: [run["metrics"]["bpc"] for run in runs if run["evidence"] and run["factors"]["code"] == label]
                     for label in ("original", "v3")}
        self.assertAlmostEqual(night["gain"], sum(confirmed["original"]) / CONFIRM - sum(confirmed["v3"]) / CONFIRM, 9)
        self.assertGreater(night["usd"], 0)
        total = result["total"]
        self.assertEqual((total["tried"], total["kept"], total["confirmed"]["nights"], total["confirmed"]["of"]), (3, 1, 1, 1))
        self.assertAlmostEqual(total["confirmed"]["low"], 0.20655, 4)  # Wilson's interval of 1 in 1.
        self.etude("audit", self.tmp / "nights/night-1/ara")
        # Once more, nothing is asked and nothing runs.
        asked = len(self.model.requests)
        text = self.bench().stdout
        self.assertEqual(len(self.model.requests), asked)
        self.assertRegex(text, r"(?m)^1 +s1 +3 +1 +yes +\d\.\d{3} +\d\.\d{3} to \d\.\d{3} +1 +\$\d\.\d{4} +\d+ s +confirmed")
        self.assertIn("confirmed 1 of 1 nights, 20.7 % to 100.0 % (95 %)", text)
        self.assertIn("the results of another profile, or on other terms", self.bench("--usd", "4", code=2).stderr)

    def test_bad_input_starts_nothing(self):
        self.options[1] = "nobody"
        self.assertIn("has no such profile", self.bench(code=2).stderr)
        self.options[1] = "mock"
        self.write("text/val.txt", "the cat sees § and " * 20)
        self.assertIn("`§` does not occur in train.txt", self.bench(code=2).stderr)
        os.remove(self.dir / "text/test.txt")
        self.assertIn("test.txt: --text: it cannot be read", self.bench(code=2).stderr)
        self.assertFalse((self.tmp / "nights").exists())


if __name__ == "__main__":
    unittest.main()
