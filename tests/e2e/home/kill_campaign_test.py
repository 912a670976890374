"""Kernel killed at random instants, again and again, also while it recovers: no work lost, none counted twice.

ETUDE_KILLS: kills to survive (default 12; `make soak` asks for 300). ETUDE_SEED: of the instants.
"""
import collections
import os
import random
import signal
import subprocess
import time
import unittest

from harness import EtudeTest, verdicts

KILLS = int(os.environ.get("ETUDE_KILLS", "12"))

# Counts its own starts in a file outside the store; the value follows from factors and seed alone.
COUNTING_JOB = '''
import os, sys, time
arm, seed, ledger = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(ledger, "a") as out:
    out.write(f"{os.environ['ETUDE_RUN']} start {os.getpid()}\\n")
time.sleep(0.02 + seed % 7 / 100)
value = {"slow": 10.0, "fast": 4.0}[arm] + seed % {"slow": 997, "fast": 1009}[arm] / 1000.0
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
with open(ledger, "a") as out:
    out.write(f"{os.environ['ETUDE_RUN']} end {os.getpid()}\\n")
'''

STUDY = '''
etude: 1
title: Killed and killed again
question: Is fast cheaper than slow?
run: python3 -S job.py {{arm}} {{seed}} {ledger}
factors:
  arm: {{levels: [slow, fast], baseline: slow}}
metrics:
  cost: {{unit: s, goal: minimize, primary: true}}
hypotheses:
  - id: H1
    statement: Fast costs less than half of slow.
    test: {{metric: cost, treatment: {{arm: fast}}, control: {{arm: slow}}, direction: less, margin: {{relative: 0.5}}}}
  - id: H2
    statement: Fast costs more than slow.
    test: {{metric: cost, treatment: {{arm: fast}}, control: {{arm: slow}}, direction: greater}}
design: {{replicates: {{min: 30, max: 30}}}}
resources: {{timeout: 10m, sandbox: none}}
seeds: fixed
'''


class KillCampaign(EtudeTest):
    def begin(self, name):
        """The home and folder of one study, and what starts or resumes it."""
        self.home = self.tmp / name / "home"
        self.dir = self.tmp / name
        self.dir.mkdir()
        self.ledger = self.dir / "ledger"
        self.study(STUDY.format(ledger=self.ledger), COUNTING_JOB)

    def survive(self, kills, rng):
        """Kills the kernel `kills` times, at most one study's worth; how often it was killed before the end came."""
        verb = ["run", "study.yaml", "-j", "2"]
        for done in range(kills):
            kernel = subprocess.Popen(self.command(*verb), cwd=self.dir, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE)
            # Sometimes at once, in the middle of recovery.
            time.sleep(rng.choice([0.0, 0.01, 0.03]) + rng.expovariate(1 / 0.15))
            kernel.kill()
            _, errors = kernel.communicate()
            if kernel.returncode != -signal.SIGKILL:
                self.assertEqual(kernel.returncode, 0, errors)
                return done
            if self.json("ls"):
                verb = ["resume", "-j", "2"]
        self.etude(*verb)
        return kills

    def check(self, expected, expected_seeds):
        study = self.json("show", self.only_id())
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual(verdicts(study), expected)
        runs = self.lines("runs", study["id"])
        evidence = [run for run in runs if run["evidence"]]
        self.assertEqual(sorted((r["seed"], r["factors"]["arm"], r["metrics"]["cost"]) for r in evidence),
                         expected_seeds)
        # One start and one outcome for each attempt: what a dead kernel left running was adopted, never started again.
        of = self.run_of_launch()
        lines = [line.split() for line in self.ledger.read_text().splitlines()]
        counts = collections.Counter((of[launch], word) for launch, word, _ in lines)
        self.assertEqual({k: n for k, n in counts.items() if n > 1}, {})
        lost = [run["id"] for run in runs if run["state"] == "lost"]
        for run in runs:
            if run["state"] == "succeeded":
                self.assertEqual(counts[(run["id"], "end")], 1, run["id"])
        self.assertEqual(self.json("verify")["ok"], True)
        self.assertEqual([p for p in (self.home / "runs").rglob("*") if p.is_dir() and p.name != study["id"]], [])
        self.assertEqual(self.live_jobs(), [])
        return len(lost)

    def live_jobs(self):
        mark = str(self.ledger).encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as cmdline:
                    if mark in cmdline.read():
                        found.append(pid)
            except OSError:
                pass
        return found

    def test_whatever_the_instant_nothing_is_lost_and_nothing_counts_twice(self):
        self.begin("undisturbed")
        study = self.run_study("-j", "2")
        expected = verdicts(study)
        self.assertEqual(expected, {"H1": "supported", "H2": "refuted"})
        seeds = sorted((r["seed"], r["factors"]["arm"], r["metrics"]["cost"])
                       for r in self.lines("runs", study["id"]) if r["evidence"])
        seed = int(os.environ.get("ETUDE_SEED", "20"))
        rng, killed, studies, lost = random.Random(seed), 0, 0, 0
        while killed < KILLS:
            self.begin(f"killed-{studies}")
            killed += self.survive(min(KILLS - killed, 25), rng)
            lost += self.check(expected, seeds)
            studies += 1
        print(f"{killed} kills over {studies} studies of 63 runs: {lost} runs lost and run again, 0 started twice")


if __name__ == "__main__":
    unittest.main()
