"""Screenings and optimisations through the real binary: selected, confirmed on fresh seeds, packaged, audited, run again."""
import collections
import csv
import os
import random
import signal
import unittest

from forgery import LOG, Forgery, kind, rewritten
from harness import EtudeTest, verdicts

# Two factors of five matter, and their interaction a little.
SCREEN_JOB = '''
import os, random, sys
a, b, c, d, e, seed = [float(x) for x in sys.argv[1:7]]
noise = random.Random(f"{a} {b} {c} {d} {e} {int(seed)}").gauss(0, 0.4)
shared = random.Random(int(seed)).gauss(0, 1)
value = 20 + 3 * b - 2 * d + 0.5 * b * d + shared + noise
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "loss", "value": {value}}}\\n')
'''
SCREEN = '''
etude: 1
title: Which of five knobs matter
question: Which of the five knobs change the loss?
kind: screen
run: python3 -S job.py {a} {b} {c} {d} {e} {seed}
factors:
  a: {levels: [0, 1], baseline: 0, type: int}
  b: {levels: [0, 1], baseline: 0, type: int}
  c: {levels: [0, 1], baseline: 0, type: int}
  d: {levels: [0, 1], baseline: 0, type: int}
  e: {levels: [0, 1], baseline: 0, type: int}
metrics:
  loss: {goal: minimize, primary: true}
design: {replicates: {min: 2, max: 4}, smoke: false, confirm: {top: 2, replicates: 8}}
budget: {runs: 80, wall: 10m}
resources: {timeout: 10m, sandbox: none}
seeds: fixed
'''
# Best at lr = 0.01 with adam; more steps make the optimum plainer.
OPTIMIZE_JOB = '''
import math, os, random, sys
lr, opt, width, steps, seed = float(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
noise = random.Random(f"{lr} {opt} {width} {seed}").gauss(0, 0.15)
loss = 2 + (math.log10(lr) + 2) ** 2 + {"sgd": 1.0, "adam": 0.0, "rms": 0.4}[opt] + abs(width - 64) / 64 + 3 / steps + noise
if opt == "rms" and lr > 0.05: sys.exit("diverged")
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "loss", "value": {loss}}}\\n')
'''
OPTIMIZE = '''
etude: 1
title: Tuning
question: Which settings give the lowest loss?
kind: optimize
run: python3 -S job.py {lr} {opt} {width} {steps} {seed}
factors:
  lr: {range: [1e-4, 1], scale: log, baseline: 1}
  opt: {levels: [sgd, adam, rms], baseline: sgd}
  width: {levels: [16, 64, 128], baseline: 16, type: int}
  steps: {levels: [1, 3, 9], type: int}
fidelity: {factor: steps, eta: 3}
metrics:
  loss: {goal: minimize, primary: true}
design: {replicates: {min: 2, max: 4}, confirm: {top: 1, replicates: 6}}
budget: {runs: 120, wall: 10m}
resources: {timeout: 10m, sandbox: none}
seeds: fixed
'''

# Accuracy rises with size and falls with pruning, and so does latency. No setting has less latency than the baseline.
TRADE_JOB = r'''
awk -v size="$1" -v prune="$2" -v seed="$3" 'BEGIN {
  srand(seed % 99991 * 1000 + size * 77 + prune * 10); rand(); noise = rand() - 0.5
  printf "{\"name\": \"accuracy\", \"value\": %.6f}\n", 0.95 - 0.3 / size - 0.4 * prune * prune + 0.004 * noise
  printf "{\"name\": \"latency\", \"value\": %.6f}\n", (2 + 3 * size) * (1.6 - prune) + 0.2 * noise
}' >> "$ETUDE_METRICS"
'''
TRADE = '''
etude: 1
title: Size against speed
question: Which sizes and which shares of pruned weights trade accuracy against latency best?
kind: optimize
run: sh job.py {size} {prune} {seed}
factors:
  size: {levels: [1, 2, 3, 4, 6, 8], baseline: 1, type: int}
  prune: {levels: [0, 0.2, 0.4, 0.6, 0.8], baseline: 0.8, type: number}
metrics:
  accuracy: {goal: maximize, primary: true}
  latency: {unit: ms, goal: minimize}
objectives: [latency, {metric: accuracy, at_least: 0.6, margin: {absolute: 0.01}}]
design: {smoke: false, confirm: {top: 2, replicates: 5}}
budget: {runs: 37, wall: 10m}
resources: {timeout: 10m, sandbox: none}
seeds: fixed
'''


def counts(runs):
    return collections.Counter(run["purpose"] for run in runs)


class Search(EtudeTest):
    def apart(self, runs):
        """Selection and confirmation share no seed, and selection is no evidence."""
        seeds = {p: {r["seed"] for r in runs if r["purpose"] == p} for p in ("search", "registered")}
        self.assertFalse(seeds["search"] & seeds["registered"])
        for run in runs:
            self.assertEqual(run["evidence"], run["purpose"] == "registered", run["id"])
            self.assertEqual(run["experiment"], {"search": "S01", "registered": "E01"}.get(run["purpose"]))

    def test_a_fraction_of_resolution_v_finds_the_factors_that_matter_and_confirms_them(self):
        self.study(SCREEN, SCREEN_JOB)
        plan = self.json("plan", "study.yaml")
        self.assertEqual((plan["search"]["design"], plan["search"]["resolution"], plan["search"]["cells"]),
                         ("fraction", 5, 16))
        self.assertEqual(plan["search"]["generators"], ["e = a×b×c×d"])
        self.assertEqual(plan["search"]["aliases"], [])
        self.assertEqual(plan["runs"], {"smoke": 0, "pilot": 0, "repeat": 0, "search": 32, "registered": {"min": 24, "max": 24},
                                        "aa": {"min": 0, "max": 0}, "warmup": 0,
                                        "total": {"min": 56, "max": 56}})
        self.assertIn("2^(5-1) fraction of resolution V", self.etude("plan", "study.yaml").stdout)
        study = self.run_study("-j", "2")
        self.assertEqual(study["outcome"], "concluded", study["detail"])
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "supported"})
        by_factor = {next(iter(h["treatment"])): h for h in study["hypotheses"]}
        self.assertEqual({f: h["direction"] for f, h in by_factor.items()}, {"b": "greater", "d": "less"})
        self.assertAlmostEqual(by_factor["b"]["effect"], 3, delta=0.8)
        self.assertEqual(by_factor["b"]["where"], {"a": 0, "c": 0, "d": 0, "e": 0})
        runs = self.lines("runs", study["id"])
        self.assertEqual(counts(runs), {"search": 32, "registered": 24})
        self.apart(runs)
        effects = study["search"]["ranked"][0]["effects"]
        # Resolution V: pairs are estimated, and never carried forward.
        self.assertEqual(sum(len(e["factors"]) == 2 for e in effects), 10)
        self.assertEqual([e["factors"] for e in effects if e["kept"]], [["b"], ["d"]])
        ara = self.sound()
        report = (ara / "report.md").read_text()
        self.assertLess(report.index("## What was selected"), report.index("## Verdicts"))
        self.assertIn("Selection, never a verdict", report)
        graph = self.json("graph", study["id"])["nodes"]
        dead = [n["title"] for n in graph if n["type"] == "dead_end"]
        self.assertEqual(sorted(t for t in dead if "not carried" in t),
                         [f"{f} was not carried forward" for f in "ace"])
        again = self.json("reproduce", ara, "-j", "2")
        self.assertEqual([c["outcome"] for c in again["claims"]], ["reproduced"] * 2, again)

    def test_a_trade_off_of_two_metrics_is_found_and_confirmed_at_the_chosen_settings(self):
        self.study(TRADE, TRADE_JOB)
        plan = self.json("plan", "study.yaml")
        self.assertEqual(plan["family"], 4)
        self.assertEqual([o["metric"] for o in plan["search"]["objectives"]], ["accuracy", "latency"])
        self.assertIn("selects by accuracy and latency", self.etude("plan", "study.yaml").stdout)
        said = self.etude("run", "study.yaml", "-j", "2").stdout
        study = self.json("show", "s1")
        self.assertEqual(study["outcome"], "concluded", study["detail"])
        search = study["search"]
        self.assertEqual(search["objectives"][0]["limit"], 0.6)
        self.assertLessEqual(search["hypervolume"][0], search["hypervolume"][-1])
        kept = [c for c in search["ranked"][-1]["candidates"] if c["kept"]]
        self.assertEqual(len(kept), 2)
        for c in kept:
            self.assertGreater(c["estimate"], 0.6)
            self.assertIsNotNone(c["second_mean"])
        self.assertEqual([h["metric"] for h in study["hypotheses"]], ["accuracy", "latency"] * 2)
        better = {"accuracy": "greater", "latency": "less"}
        gains = [h for h in study["hypotheses"] if h["verdict"] == "supported" and h["direction"] == better[h["metric"]]]
        self.assertGreaterEqual(len(gains), 2, study["hypotheses"])
        answer = " ".join(search["advice"])
        self.assertRegex(answer, "confirmed to be better than the baseline")
        self.assertIn("accuracy keeps its limit, at least 0.6", answer)
        self.assertNotIn("Keep the baseline", answer)
        self.assertIn(search["advice"][0], " ".join(said.split()))
        ara = self.sound()
        report = (ara / "report.md").read_text()
        self.assertIn(search["advice"][0], report)
        self.assertIn("Mean latency", report)

        forged = Forgery(ara, self.tmp / "other-choice")
        log = forged.text(LOG).splitlines()
        at = max(i for i, line in enumerate(log) if kind(line) == "RungRanked")

        def other_choice(payload):
            chosen = next(c for c in payload["candidates"] if c["kept"])
            other = next(c for c in payload["candidates"] if not c["kept"] and not c["baseline"])
            chosen["kept"], other["kept"] = False, True

        forged.relog(lambda lines: lines[:at] + [rewritten(lines[at], other_choice)] + lines[at + 1:])
        findings = self.json("audit", forged.root, code=1)["findings"]
        self.assertTrue(any(f["severity"] == "critical" and f["line"] == at + 1 for f in findings), findings)

    def test_a_search_that_is_told_otherwise_is_caught_by_the_audit(self):
        self.study(SCREEN, SCREEN_JOB)
        self.run_study("-j", "2")
        ara = self.dir / "study-ara"

        def caught(name, type_name, change, rule, says):
            forged = Forgery(ara, self.tmp / name)
            log = forged.text(LOG).splitlines()
            at = next(i for i, line in enumerate(log) if kind(line) == type_name)
            forged.relog(lambda lines: lines[:at] + [rewritten(lines[at], change)] + lines[at + 1:])
            findings = self.json("audit", forged.root, code=1)["findings"]
            self.assertTrue(any((f["rule"], f["severity"], f["line"]) == (rule, "critical", at + 1) and says in f["message"]
                                for f in findings), (name, findings))

        def larger(payload):
            payload["effects"][0]["effect"] *= 2

        def other_factor(payload):
            payload["effects"][0]["kept"], payload["effects"][2]["kept"] = False, True

        def later_seed(payload):
            payload["plan"]["registered"]["seeds"][0] += 1

        def one_more(payload):
            payload["plan"]["top"] = 1

        def other_way(payload):
            payload["hypothesis"]["direction"] = "different"

        caught("effect", "RungRanked", larger, "decision-mismatch", "the ranking of the rung")
        caught("factor", "RungRanked", other_factor, "decision-mismatch", "the ranking of the rung")
        caught("seed", "SearchRegistered", later_seed, "decision-mismatch", "the plan of the search")
        caught("top", "SearchRegistered", one_more, "decision-mismatch", "the plan of the search")
        caught("direction", "HypothesisProposed", other_way, "decision-mismatch", "none of those that the search")
        # Points and values of the selection are looked at as those of evidence are.
        forged = Forgery(ara, self.tmp / "value")
        log = forged.text(LOG).splitlines()
        at = next(i for i, line in enumerate(log) if kind(line) == "RunEnded")

        def better(payload):
            payload["measurement"]["values"]["loss"]["value"] -= 5

        forged.relog(lambda lines: lines[:at] + [rewritten(lines[at], better)] + lines[at + 1:])
        findings = self.json("audit", forged.root, code=1)["findings"]
        self.assertIn(("metric-mismatch", at + 1), [(f["rule"], f["line"]) for f in findings])

    def test_a_smaller_fraction_prints_its_aliases_and_claims_nothing_of_pairs(self):
        self.study(SCREEN.replace("runs: 80", "runs: 60").replace("top: 2", "top: 1"), SCREEN_JOB)
        plan = self.json("plan", "study.yaml")["search"]
        self.assertEqual((plan["resolution"], plan["cells"]), (5, 16))
        self.study(SCREEN.replace("runs: 80", "runs: 40").replace("top: 2", "top: 1"), SCREEN_JOB)
        plan = self.json("plan", "study.yaml")["search"]
        self.assertEqual((plan["resolution"], plan["cells"]), (3, 8))
        self.assertTrue(plan["aliases"])
        self.assertIn("cannot be told apart", self.etude("plan", "study.yaml").stdout)
        study = self.run_study("-j", "2")
        effects = study["search"]["ranked"][0]["effects"]
        self.assertTrue(all(len(e["factors"]) == 1 for e in effects))
        self.assertIn("Aliases", (self.dir / "study-ara" / "report.md").read_text())
        self.sound()

    def test_halving_with_a_fidelity_finds_good_settings_and_survives_being_killed(self):
        self.study(OPTIMIZE, OPTIMIZE_JOB)
        plan = self.json("plan", "study.yaml")
        rungs = plan["search"]["rungs"]
        self.assertEqual([r["fidelity"] for r in rungs], ["1", "3", "9", "9"])
        self.assertTrue(rungs[-1]["refines"])
        self.assertLessEqual(plan["runs"]["total"]["max"], 120)
        rng = random.Random(5)
        verb = ["run", "study.yaml", "-j", "2"]
        for _ in range(6):
            fault = os.environ | {"ETUDE_FAULT": f"kill-after-commit:{rng.randint(1, 15)}"}
            self.assertEqual(self.etude(*verb, code=None, env=fault).returncode, -signal.SIGKILL)
            if self.json("ls"):
                verb = ["resume", "-j", "2"]
        self.etude(*verb, code=None)
        study = self.json("show", self.only_id())
        self.assertEqual((study["state"], study["outcome"]), ("ended", "concluded"), study["detail"])
        self.assertEqual(verdicts(study), {"H1": "supported"})
        h = study["hypotheses"][0]
        cell = {**h["treatment"], **h["where"]}
        self.assertEqual((cell["opt"], cell["width"], cell["steps"]), ("adam", 64, 9))
        self.assertTrue(0.001 <= cell["lr"] <= 0.1, cell)
        self.assertEqual(h["direction"], "less")
        runs = [r for r in self.lines("runs", study["id"]) if r["retry_of"] is None]
        self.apart(runs)
        # The same search as without a single kill: every rung's cells, seeds and order follow from the state.
        ranked = study["search"]["ranked"]
        self.assertEqual(len(ranked), 4)
        for rung, wanted in zip(ranked, rungs):
            own = [r for r in runs if r["label"] == f"rung {rung['rung']}"]
            self.assertEqual(len(own), len(rung["candidates"]) * wanted["replicates"])
            self.assertEqual(len({r["seed"] for r in own}), wanted["replicates"])
            self.assertEqual({str(r["factors"]["steps"]) for r in own}, {wanted["fidelity"]})
            self.assertEqual(sum(c["baseline"] for c in rung["candidates"]), 1)
        seeds = [{r["seed"] for r in runs if r["label"] == f"rung {i}"} for i in (1, 2, 3, 4)]
        self.assertEqual(len(set().union(*seeds)), sum(map(len, seeds)))
        # Values of ranges are the same text in commands, tables and JSON.
        ara = self.sound()
        with open(ara / "evidence" / "results" / "S01.csv") as table:
            texts = {row["lr"] for row in csv.DictReader(table)}
        self.assertEqual({float(t) for t in texts}, {r["factors"]["lr"] for r in runs if r["purpose"] == "search"})
        self.assertTrue(all(len(t) <= 9 for t in texts), texts)
        again = self.json("reproduce", ara, "-j", "2")
        self.assertEqual([c["outcome"] for c in again["claims"]], ["reproduced"], again)

    def test_the_same_search_is_made_again(self):
        self.study(OPTIMIZE.replace("runs: 120", "runs: 70"), OPTIMIZE_JOB)
        first, second = self.run_study("-j", "2", "-o", "one"), self.run_study("-j", "1", "-o", "two")
        self.assertEqual(first["search"]["ranked"], second["search"]["ranked"])

    def test_a_confirmation_that_fails_is_reported_all_the_same(self):
        self.study(OPTIMIZE.replace("runs: 120", "runs: 60"), '''
import os, random, sys
value = random.Random(" ".join(sys.argv[1:])).gauss(5, 1)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "loss", "value": {value}}}\\n')
''')
        study = self.run_study("-j", "2")
        self.assertEqual(study["outcome"], "concluded")
        self.assertNotEqual(verdicts(study), {"H1": "supported"})
        self.assertIn("H1", (self.dir / "study-ara" / "report.md").read_text())
        self.sound()

    def test_a_search_in_which_nothing_runs_ends_failed(self):
        self.study(OPTIMIZE.replace("runs: 120", "runs: 60"), "raise SystemExit('broken')")
        study = self.run_study("-j", "2", code=1)
        self.assertEqual((study["outcome"], study["hypotheses"]), ("failed", []))
        self.assertIn("every smoke run failed; s1-r1: exit status 1; the end of its stderr: broken", study["detail"])
        self.sound()


if __name__ == "__main__":
    unittest.main()
