"""A study whose units are blocks, through the real binary: a treatment that helps on some data sets and harms on others
is nothing shown, however many runs there are; one that helps on all of them is."""
import math
import statistics
import unittest

from harness import EtudeTest, verdicts

JOB = '''
import os, random, sys
arm, name, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
if os.environ.get("BROKEN") == name and arm == "torn":
    sys.exit(3)
level = "abcdef".index(name)
torn = {"a": -6, "b": 5, "c": -4, "d": 4, "e": -5, "f": 4}[name]
effect = {"plain": 0, "good": -2 - 0.2 * level, "torn": torn}[arm]
noise = random.Random(f"{arm} {name} {seed}").gauss(0, 0.2)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "loss", "value": {20 + 3 * level + effect + noise}}}\\n')
'''
STUDY = '''
etude: 1
title: Two methods over data sets
question: Which method has less loss on data sets like these?
run: python3 -S job.py {method} {set} {seed}
factors:
  method: {levels: [plain, good, torn]}
  set: {levels: [a, b, c, d, e, f]}
metrics:
  loss: {goal: minimize}
hypotheses:
  - id: H1
    statement: The good method has less loss.
    test: {metric: loss, treatment: {method: good}, control: {method: plain}, direction: less, smallest_effect: {absolute: 1}}
  - id: H2
    statement: The torn method has other loss.
    test: {metric: loss, treatment: {method: torn}, control: {method: plain}, direction: different, smallest_effect: {absolute: 1}}
design: {blocks: [set], replicates: {min: 1, max: 2}, pilot: 2, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''


class Blocks(EtudeTest):
    def test_verdicts_are_over_blocks_and_hold_wherever_they_are_looked_at_again(self):
        self.study(STUDY, JOB)
        plan = self.etude("plan", "study.yaml").stdout
        self.assertIn("unit: block (6 blocks of set); 5 degrees of freedom", plan)
        self.assertEqual(self.json("plan", "study.yaml")["blocks"], {"factors": ["set"], "count": 6, "df": 5})
        study = self.run_study("-j", "2")
        by_id = {h["id"]: h for h in study["hypotheses"]}
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "inconclusive"},
                         [h["reason"] for h in study["hypotheses"]])
        self.assertEqual(by_id["H2"]["blocks"], {"factors": ["set"], "count": 6, "tested": 6})
        self.assertTrue(any("blocks differ in sign: in 3 of 6" in w for w in by_id["H2"]["warnings"]), by_id["H2"])
        self.assertFalse(any("blocks differ" in w for w in by_id["H1"]["warnings"]))

        # Once more from the runs: means in each block over the seeds of both arms, and one difference for each.
        runs = [r for r in self.lines("runs", study["id"]) if r["purpose"] == "registered"]
        differences = []
        for name in "abcdef":
            good, plain = ({r["seed"]: r["metrics"]["loss"] for r in runs
                            if r["factors"] == {"method": method, "set": name}} for method in ("good", "plain"))
            seeds = set(good) & set(plain)
            differences.append(statistics.mean(good[s] for s in seeds) - statistics.mean(plain[s] for s in seeds))
        effect = statistics.mean(differences)
        self.assertAlmostEqual(by_id["H1"]["effect"], effect, delta=1e-9)
        # The 95th percentile of t with 5 degrees of freedom, at half of 5 % for the first of two by Holm: 97.5th.
        reach = 2.570581835636314 * statistics.stdev(differences) / math.sqrt(6)
        self.assertAlmostEqual(by_id["H1"]["level"], 0.95, delta=1e-12)
        self.assertAlmostEqual(by_id["H1"]["interval"][1], effect + reach, delta=1e-9)
        self.assertEqual(by_id["H1"]["n"], [6, 6])
        self.assertEqual(by_id["H1"]["reading"]["runs"], [sum(r["factors"]["method"] == m for r in runs) for m in ("good", "plain")])

        # Arms share the seeds of a block, and no two blocks one.
        sets = {}
        for run in runs:
            sets.setdefault(run["seed"], set()).add(run["factors"]["set"])
        self.assertEqual({len(names) for names in sets.values()}, {1})

        self.assertIn("unit: block (6 blocks)", self.etude("show", study["id"], "--all").stdout)
        ara = self.dir / "study-ara"
        self.assertIn("- Unit: block (6 blocks of set).", (ara / "report.md").read_text())
        checked = self.json("check", ara, "--strict")
        self.assertTrue(checked["ok"], checked)
        audited = self.json("audit", ara)
        self.assertTrue(audited["ok"], audited)
        reproduced = self.json("reproduce", ara, "-j", "2")
        self.assertEqual({c["outcome"] for c in reproduced["claims"]}, {"reproduced"}, reproduced)

    def test_a_block_whose_runs_failed_has_failed(self):
        self.study(STUDY.replace("min: 1, max: 2", "min: 1, max: 1").replace(
            "smoke: false", "smoke: false, max_failed: 0.5"), JOB.replace('os.environ.get("BROKEN")', '"b"'))
        study = self.run_study("-j", "2")
        h2 = {h["id"]: h for h in study["hypotheses"]}["H2"]
        self.assertEqual(h2["failed"], [1, 0])
        self.assertEqual(h2["blocks"]["tested"], 5)
        self.assertTrue(any("1 of 6 treatment runs failed. Effect and interval are of the blocks without them" in w
                            for w in h2["warnings"]), h2)
        self.assertTrue(self.json("audit", self.dir / "study-ara")["ok"])


if __name__ == "__main__":
    unittest.main()
