"""Code that nobody may change: its seed is a constant, git does not have its data, and it only prints its losses."""
import json
import os
import signal
import subprocess
import unittest

from harness import EtudeTest, until, verdicts

GPT = '''
"""A small model of characters, without options."""
import math
import random

out_dir = "out"
eval_interval = 50
max_iters = 200
learning_rate = 6e-4  # the largest that was tried
dropout = 0.1

random.seed(1337)
with open("data/input.txt") as file:
    characters = len(set(file.read()))
for step in range(0, max_iters + 1, eval_interval):
    gap = 2 * math.exp(-step / 60) + 0.4 * abs(math.log10(learning_rate) + 3.2) + 0.05 * dropout
    loss = 1 + characters / 100 + gap * random.gauss(1, 0.02)
    print(f"step {step}: train loss {loss - 0.1:.4f}, val loss {loss:.4f}")
    print(f"iter {step}: loss {loss * random.gauss(1, 0.1):.4f}, time {30 * random.random():.2f}ms")
'''

STUDY = '''
etude: 1
title: Learning rates
question: Which learning rate is better?
run: "sed -i 's/^learning_rate *=.*/learning_rate = {lr}/; s/seed(1337/seed({seed}/' gpt.py && python3 gpt.py"
factors: {lr: {levels: [6e-4, 6e-3], baseline: 6e-4}}
metrics:
  val_loss: {goal: minimize, primary: true, from: {stdout: '\\bstep +(?<step>\\d+): train loss [0-9.]+, val loss ([0-9.]+)'}}
  steps: {goal: minimize, summary: {time_to: {val_loss: 1.6}}}
design: {replicates: {min: 4, max: 4}}
resources: {timeout: 10m}
'''

SAID = "`data/input.txt` is not in the workspace, because .gitignore or .etudeignore leaves out `data/`"


class ForeignCode(EtudeTest):
    def place(self, study=STUDY):
        self.write("gpt.py", GPT)
        self.write(".gitignore", "data/\nout/\n*.pyc\n")
        self.write("data/input.txt", "to be or not to be\n" * 100)
        self.write("out/ckpt.pt", "0" * 5000)
        if study:
            self.write("study.yaml", study)

    def test_from_init_to_a_right_verdict(self):
        self.place(study="")
        self.etude("init", "study", "--from", "python3 gpt.py")
        drafted = self.dir / "study/study.yaml"
        text = drafted.read_text()
        self.assertIn("run: >-\n  sed -i -e 's/^\\(learning_rate\\s*=\\s*\\)[-+.0-9][-+.0-9eE]*\\s*\\([#;].*\\)\\?$/\\1{learning_rate}/'\n", text)
        self.assertIn("val_loss: {goal: minimize, primary: true", text)
        self.assertIn("'!/data/'", text)
        self.assertNotIn("'!/out/'", text)
        drafted.write_text(text + "design: {replicates: {min: 5, max: 5}}\n")
        plan = self.json("plan", drafted)
        self.assertEqual([entry["path"] for entry in plan["left_out"]["largest"]], ["out/"])
        self.assertEqual([one for one in plan["warnings"] if ": license: " not in one], [])
        study = self.lines("run", drafted)[-1]
        of_rates = [h for h in study["hypotheses"] if "learning_rate" in h["treatment"]]
        self.assertEqual([h["verdict"] for h in of_rates], ["supported", "supported"])
        self.assertTrue(all(0.2 < h["effect"] < 0.6 for h in of_rates), of_rates)
        self.assertEqual(self.json("audit", study["artifact"])["findings"], [])

    def test_what_git_ignores_is_listed_and_a_job_that_misses_it_is_told(self):
        self.place()
        plan = self.json("plan", "study.yaml")
        self.assertEqual(plan["left_out"], {"count": 2, "bytes": 6900, "largest": [
            {"path": "out/", "bytes": 5000}, {"path": "data/", "bytes": 1900}]})
        self.assertIn("left out of the workspace by .gitignore or .etudeignore: 2 entries, 6.9 kB",
                      self.etude("plan", "study.yaml").stdout)
        tried = self.json("try", "study.yaml", code=1)
        self.assertTrue(tried["reason"].startswith("exit status 1: " + SAID), tried["reason"])
        self.assertIn("`!/data/`", tried["reason"])
        self.assertIsNone(tried["resources"])
        self.assertNotIn("proposed:", self.etude("try", "study.yaml", code=1).stdout)
        study = self.run_study(code=1)
        self.assertEqual(study["outcome"], "failed")
        failures = self.json("show", study["id"])["failures"]
        self.assertEqual((len(failures), failures[0]["runs"]), (1, study["runs"]["failed"]))
        self.assertIn(SAID, study["detail"])
        self.assertIn("No such file or directory", study["detail"])
        places = [run["reason"] for run in self.lines("runs", study["id"])]
        places += [self.etude(*verb).stdout for verb in
                   [("show", study["id"]), ("runs", study["id"]), ("log", study["id"])]]
        places.append((self.dir / "study-ara/report.md").read_text())
        for text in places:
            self.assertIn("is not in the workspace", " ".join(text.split()))
        self.assertEqual(self.json("audit", self.dir / "study-ara")["findings"], [])
        # As it says.
        self.write(".etudeignore", "!/data/\n")
        self.assertTrue(self.json("try", "study.yaml")["ok"])

    def test_steps_are_read_from_what_is_printed(self):
        self.place()
        self.write(".etudeignore", "!/data/\n")
        tried = self.json("try", "study.yaml", "--set", "lr=6e-4")
        self.assertIn(tried["metrics"]["steps"], (100, 150, 200))
        study = self.run_study()
        self.assertEqual(verdicts(study), {"H1": "supported"})
        run = next(r for r in self.lines("runs", study["id"]) if r["evidence"])
        points = [p for p in self.lines("metrics", run["id"]) if p["name"] == "val_loss"]
        self.assertEqual([p["step"] for p in points], [0, 50, 100, 150, 200])
        self.write("study.yaml", STUDY.replace("(?<step>\\d+)", "(?<step>\\d+)(x?)"))
        self.assertIn("beside the step's, put one pair of parentheses around the number",
                      self.etude("plan", "study.yaml", code=2).stderr)

    def test_plan_names_what_is_not_there_and_that_models_cost_money(self):
        self.place(STUDY.replace("&& python3", "&& not-installed --x && python3")
                   .replace("timeout: 10m", "timeout: 10m, gpus: 99") + "agents: nobody\n")
        warnings = " ".join(self.json("plan", "study.yaml")["warnings"])
        self.assertIn("`not-installed` is not on PATH", warnings)
        self.assertIn("runs need 99 GPUs, and this machine has", warnings)
        self.assertIn("agents: nobody: there is no such profile", warnings)
        shown = self.etude("plan", "study.yaml").stdout
        self.assertIn("the agents of `nobody` ask models, which may cost money", shown)
        self.assertNotIn("no model, no money", shown)
        self.assertIsNone(self.json("plan", "study.yaml")["cost"]["usd"])

    def test_an_interpreter_that_fails_is_the_machines_fault(self):
        self.place(STUDY.replace("&& python3 gpt.py", "&& python3.9 gpt.py"))
        tools = self.tmp / "bin"
        tools.mkdir()
        (tools / "python3.9").write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
        (tools / "python3.9").chmod(0o755)
        path = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        for verb in ("try", "run"):
            self.assertIn("does not answer as a Python: no room", self.etude(verb, "study.yaml", code=3, env=path).stderr)

    def test_a_registration_that_cannot_fit_the_budget_is_said_before_it_starts(self):
        self.place(STUDY.replace("min: 4, max: 4}", "min: 60, max: 80}, pilot: 2, smoke: false")
                   .replace("&& python3", "&& sleep 0.5 && python3") + "budget: {wall: 20s}\n")
        self.write(".etudeignore", "!/data/\n")
        run = self.etude("run", "study.yaml", "-j", "2", code=4)
        self.assertRegex(run.stdout, r"sizing: the registration has \d+ runs, which at [\d.]+ s each take at least .* with "
                                     r"-j 2, and .* of `budget.wall` is left")
        self.assertLess(run.stdout.index("sizing: the registration"), run.stdout.index("registered:"))

    def test_a_study_whose_owner_was_killed_is_stopped_whoever_has_the_home(self):
        self.place(STUDY.replace("&& python3", "&& sleep 30 && python3"))
        self.write(".etudeignore", "!/data/\n")
        owner = subprocess.Popen(self.command("run", "study.yaml"), cwd=self.dir, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        until(lambda: (self.home / "etude.db").exists() and self.etude("ls", code=None).stdout.count("running"))
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        self.assertIn("stopped", self.etude("ls").stdout)
        self.write("other.yaml", STUDY.replace("&& python3", "&& sleep 30 && python3"))
        other = subprocess.Popen(self.command("run", "other.yaml", "-o", self.tmp / "other-ara"), cwd=self.dir,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until(lambda: len(self.json("ls")) == 2 and self.json("ls")[1]["owner"] == other.pid)
            first, second = self.json("ls")
            self.assertEqual((first["state"], first["owner"], second["owner"]), ("running", None, other.pid))
            self.assertIn("stopped", self.etude("show", first["id"]).stdout)
            self.assertNotIn("stopped", self.etude("show", second["id"]).stdout)
            self.etude("cancel", second["id"])
        finally:
            other.wait(timeout=120)
        self.etude("cancel", first["id"])


if __name__ == "__main__":
    unittest.main()
