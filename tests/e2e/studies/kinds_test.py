"""Hypotheses of every kind through the real binary: judged, packaged, checked, and judged alike when run again."""
import unittest

from harness import EtudeTest, verdicts

JOB = '''
import json, os, random, sys
arm, n, load, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
noise = random.Random(f"{arm} {n} {load} {seed}")
time_ms = {"a": 3.0 * n, "b": 8.0 + 0.5 * n}[arm] + (4.0 if load == "high" and arm == "a" else 0.0) + noise.gauss(0, 0.2)
if noise.random() < 0.05: time_ms += 0.5
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "time_ms", "value": time_ms}) + "\\n")
'''
STUDY = '''
etude: 1
title: Kinds of hypotheses
question: How do a and b compare along n and load?
run: python3 job.py {arm} {n} {load} {seed}
factors:
  arm: {levels: [a, b], baseline: a}
  n: {levels: [1, 2, 8], type: int}
  load: {levels: [low, high]}
metrics:
  time_ms: {unit: ms, goal: minimize, primary: true}
hypotheses:
  - id: H1
    statement: Load costs a more than b.
    test: {kind: interaction, metric: time_ms, along: load, treatment: {arm: a}, control: {arm: b}, where: {n: 2},
           direction: greater, margin: {absolute: 3}}
  - id: H2
    statement: Load costs both the same.
    test: {kind: interaction, metric: time_ms, along: {load: [low, high]}, treatment: {arm: a}, control: {arm: b},
           direction: equal, margin: {absolute: 2}}
  - id: H3
    statement: B is slower than a for small n and faster for large n.
    test: {kind: crossover, metric: time_ms, along: n, treatment: {arm: b}, control: {arm: a}, where: {load: low},
           direction: greater}
  - id: H4
    statement: B becomes slower than a as n grows.
    test: {kind: crossover, metric: time_ms, along: {n: [1, 2]}, treatment: {arm: b}, control: {arm: a}, where: {load: low},
           direction: less, method: rank}
  - id: H5
    statement: B takes less than half of a's time at n = 8 under load.
    test: {metric: time_ms, treatment: {arm: b}, control: {arm: a}, where: {n: 8, load: high}, direction: less,
           margin: {relative: 0.5}, method: rank}
design: {replicates: {min: 9, max: 9}, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''
EXPECTED = {"H1": "supported", "H2": "refuted", "H3": "supported", "H4": "refuted", "H5": "supported"}


class Kinds(EtudeTest):
    def test_each_kind_is_judged_told_and_judged_alike_again(self):
        self.study(STUDY, JOB)
        plan = self.etude("plan", "study.yaml").stdout
        self.assertIn("interaction along load (low, high)", plan)
        self.assertIn("crossover along n (1, 2, 8)", plan)
        study = self.run_study("-j", "2")
        self.assertEqual(verdicts(study), EXPECTED, [h["reason"] for h in study["hypotheses"]])
        by_id = {h["id"]: h for h in study["hypotheses"]}
        self.assertEqual([(by_id[h]["kind"], by_id[h]["along"], by_id[h]["levels"]) for h in ("H1", "H3")],
                         [("interaction", "load", ["low", "high"]), ("crossover", "n", ["1", "2", "8"])])
        self.assertAlmostEqual(by_id["H1"]["effect"], 4, delta=0.4)
        self.assertIsNone(by_id["H1"]["effect_relative"])
        self.assertLess(by_id["H5"]["effect_relative"], -0.5)
        self.assertEqual((by_id["H4"]["method"], by_id["H5"]["method"]), ("rank", "rank"))
        for h in study["hypotheses"]:
            low, high = h["interval"]
            self.assertLess(low, high)
            self.assertLessEqual(h["p"], 1)
        ara = self.dir / "study-ara"
        report = (ara / "report.md").read_text()
        for words in ("interval of the interaction", "changes as hypothesised", "does not change so",
                      "Wilcoxon's signed-rank test"):
            self.assertIn(words, report)
        checked = self.json("check", ara, "--strict")
        self.assertTrue(checked["ok"], checked)
        again = self.json("reproduce", ara, "-j", "2")
        self.assertEqual({c["outcome"] for c in again["claims"]}, {"reproduced"}, again)


if __name__ == "__main__":
    unittest.main()
