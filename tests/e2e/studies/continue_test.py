"""Searches whose runs continue the runs of the fidelity's level before: steps are not repeated, seeds are kept along a
chain, the confirmation begins anew, and kills, audits and `try --run` know of it."""
import os
import random
import signal
import unittest

from forgery import LOG, Forgery, kind, rewritten
from harness import EtudeTest, verdicts

# Gradient descent with momentum on a least-squares problem of the seed. It continues from net.json, and reports the steps
# that it computed itself.
JOB = '''
import ast, os, random, sys
lr, momentum, steps, seed = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
rows = random.Random(seed)
points = [([rows.gauss(0, 1) for _ in range(3)], rows.gauss(0, 0.3)) for _ in range(30)]
points = [(x, 2 * x[0] - x[1] + 0.5 * x[2] + noise) for x, noise in points]
net = {"step": 0, "seed": seed, "w": [0, 0, 0], "v": [0, 0, 0]}
if "ETUDE_CONTINUE" in os.environ:
    with open(os.environ["ETUDE_CONTINUE"] + "/net/last.txt") as state:
        net = ast.literal_eval(state.read())
    assert net["seed"] == seed, (net, seed)
start = net["step"]
while net["step"] < steps:
    slope = [0, 0, 0]
    for x, y in points:
        error = sum(w * each for w, each in zip(net["w"], x)) - y
        slope = [s + 2 * error * each / len(points) for s, each in zip(slope, x)]
    net["v"] = [momentum * v - lr * s for v, s in zip(net["v"], slope)]
    net["w"] = [w + v for w, v in zip(net["w"], net["v"])]
    net["step"] += 1
loss = sum((sum(w * each for w, each in zip(net["w"], x)) - y) ** 2 for x, y in points) / len(points)
os.mkdir("net")
with open("net/last.txt", "w") as state:
    state.write(repr(net))
with open(os.environ["ETUDE_METRICS"], "a") as out:
    for name, value in (("loss", min(loss, 1e6)), ("computed", steps - start), ("start", start)):
        out.write(f'{{"name": "{name}", "value": {value}}}\\n')
'''
STUDY = '''
etude: 1
title: Tuning
question: Which settings give the lowest loss?
kind: optimize
run: python3 -S job.py {lr} {momentum} {steps} {seed}
factors:
  lr: {range: [1e-4, 1], scale: log, baseline: 0.001}
  momentum: {levels: [0, 0.5, 0.9], baseline: 0, type: number}
  steps: {levels: [3, 9, 27], type: int}
fidelity: {factor: steps, eta: 3, continue: net}
metrics:
  loss: {goal: minimize, primary: true}
  computed: {goal: minimize, deterministic: true}
  start: {goal: minimize, deterministic: true}
design: {replicates: {min: 2, max: 4}, confirm: {top: 1, replicates: 4}}
budget: {runs: 90, wall: 10m}
resources: {timeout: 10m}
seeds: fixed
'''
BY_MODEL = STUDY.replace("design: {", "design: {search: model, ").replace("runs: 90", "runs: 60")
UNCONFINED = STUDY.replace("timeout: 10m}", "timeout: 10m, sandbox: none}")
BELOW = {27: 9, 9: 3}


class ContinuedSearch(EtudeTest):
    def chains(self, runs):
        """Every run computes only the steps that the run that it continues has not, on its seed. Returns the runs that
        continue others."""
        by_id = {run["id"]: run for run in runs}
        continuing = [run for run in runs if "continues" in run]
        for run in runs:
            steps = run["factors"]["steps"]
            if run["state"] != "succeeded":
                continue
            if "continues" not in run:
                self.assertEqual((run["metrics"]["computed"], run["metrics"]["start"]), (steps, 0), run["id"])
                continue
            earlier = by_id[run["continues"]]
            self.assertEqual((run["purpose"], earlier["purpose"], earlier["state"]), ("search", "search", "succeeded"))
            self.assertEqual(earlier["factors"], {**run["factors"], "steps": BELOW[steps]})
            self.assertEqual((earlier["seed"], earlier["replicate"]), (run["seed"], run["replicate"]))
            self.assertEqual((run["metrics"]["computed"], run["metrics"]["start"]), (steps - BELOW[steps], BELOW[steps]))
            self.assertGreaterEqual(run["started"], earlier["ended"])
        self.assertEqual(len({run["continues"] for run in continuing if run["state"] == "succeeded"}),
                         sum(run["state"] == "succeeded" for run in continuing))
        return continuing

    def test_halving_repeats_no_step_and_the_confirmation_begins_anew(self):
        self.study(STUDY, JOB)
        study = self.run_study("-j", "2")
        self.assertEqual(verdicts(study), {"H1": "supported"}, study)
        runs = self.lines("runs", study["id"])
        continuing = self.chains(runs)
        rungs = study["search"]["rungs"]
        self.assertEqual([rung["fidelity"] for rung in rungs], ["3", "9", "27", "27"])
        raised = [run for run in runs if run["label"] in ("rung 2", "rung 3")]
        self.assertEqual({run["id"] for run in continuing}, {run["id"] for run in raised})
        registered = [run for run in runs if run["purpose"] == "registered"]
        self.assertEqual({run["metrics"]["computed"] for run in registered}, {27})
        self.assertFalse({run["seed"] for run in registered} & {run["seed"] for run in runs if run["purpose"] == "search"})
        # What a run leaves to be continued is recorded; nothing continues runs of the highest level.
        for run in runs:
            left = [kept["path"] for kept in run["kept"] if kept["name"] == "continue"]
            below = run["purpose"] == "smoke" or (run["purpose"] == "search" and run["factors"]["steps"] < 27)
            self.assertEqual(left, ["net"] if below else [], run["id"])
        self.assertIn(f"continues {continuing[0]['continues']}", self.etude("runs", study["id"]).stdout)
        ara = self.sound()
        again = self.json("reproduce", ara, "-j", "2")
        self.assertEqual([c["outcome"] for c in again["claims"]], ["reproduced"], again)

        # A run alone, from what the one before it left; and never without that.
        tried = self.json("try", "--run", continuing[-1]["id"])
        self.assertEqual(tried["metrics"], continuing[-1]["metrics"])
        self.etude("gc", "--delete")
        refused = self.etude("try", "--run", continuing[-1]["id"], code=None)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(f"{continuing[-1]['id']} continues {continuing[-1]['continues']}, whose files are gone",
                      refused.stderr)
        self.assertEqual(self.json("try", "--run", registered[0]["id"])["metrics"], registered[0]["metrics"])

    def test_without_a_sandbox_and_killed_again_and_again_it_is_the_same_search(self):
        self.study(UNCONFINED, JOB)
        whole = self.run_study("-j", "2", "-o", "whole")
        runs = self.lines("runs", whole["id"])
        self.assertGreater(len(self.chains(runs)), 8)
        self.home = self.tmp / "other"
        rng = random.Random(7)
        verb = ["run", "study.yaml", "-j", "2"]
        for _ in range(12):
            fault = os.environ | {"ETUDE_FAULT": f"kill-after-commit:{rng.randint(3, 40)}"}
            if self.etude(*verb, code=None, env=fault).returncode != -signal.SIGKILL:
                break
            if self.json("ls"):
                verb = ["resume", "-j", "2"]
        if self.json("show", self.only_id())["state"] != "ended":
            self.etude(*verb, code=None)
        study = self.json("show", self.only_id())
        self.assertEqual((study["state"], study["outcome"]), ("ended", "concluded"), study["detail"])
        self.assertEqual(study["search"]["ranked"], whole["search"]["ranked"])
        self.assertGreater(len(self.chains(self.lines("runs", study["id"]))), 8)
        self.sound()

    def test_by_a_model_settings_of_earlier_rounds_thaw_and_an_audit_knows_what_may(self):
        self.study(BY_MODEL, JOB)
        planned = self.etude("plan", "study.yaml").stdout
        self.assertIn("the best by the model of all that wait, ", planned)
        study = self.run_study("-j", "2")
        self.assertEqual((study["state"], study["outcome"]), ("ended", "concluded"), study["detail"])
        continuing = self.chains(self.lines("runs", study["id"]))
        rungs, ranked = study["search"]["rungs"], study["search"]["ranked"]
        self.assertGreater(sum(rung.get("thaws", False) for rung in rungs), 3)
        self.assertGreater(len(continuing), 5)
        self.assertEqual(rungs[-1]["fidelity"], "27")
        ara = self.sound()

        def caught(name, at, change, says):
            forged = Forgery(ara, self.tmp / name)
            forged.relog(lambda lines: lines[:at] + [rewritten(lines[at], change)] + lines[at + 1:])
            findings = self.json("audit", forged.root, code=1)["findings"]
            self.assertTrue(any(f["line"] == at + 1 and says in f["message"] for f in findings), (name, findings))

        log = Forgery(ara, self.tmp / "read").text(LOG).splitlines()
        rankings = [i for i, line in enumerate(log) if kind(line) == "RungRanked"]
        before_thaw = next(i for i, rung in enumerate(rungs) if rung.get("thaws")) - 1

        def nothing_goes_on(payload):
            payload.pop("thawed", None)
            for c in payload["candidates"]:
                c["kept"] = False

        caught("none", rankings[before_thaw], nothing_goes_on, "the ranking of the rung")
        queued = next(i for i, line in enumerate(log) if kind(line) == "RunsQueued" and '"continues"' in line)

        def begins_anew(payload):
            del payload["runs"][0]["continues"]

        def other_seed(payload):
            payload["runs"][0]["seed"] += 1

        caught("anew", queued, begins_anew, "the runs of the rung")
        caught("seed", queued, other_seed, "the runs of the rung")
        self.assertEqual(len(ranked), len(rungs))

    def test_a_program_that_leaves_nothing_to_continue_from_is_told_before_the_search(self):
        self.study(STUDY, JOB.replace("net/last.txt", "net.txt").replace('os.mkdir("net")', ""))
        study = self.run_study("-j", "2", code=1)
        self.assertEqual(study["outcome"], "failed")
        self.assertIn("every smoke run failed; s1-r1: `fidelity.continue` names net:", study["detail"])


if __name__ == "__main__":
    unittest.main()
