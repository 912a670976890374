"""Hypotheses of every kind through the real binary: judged, packaged, checked, and judged alike when run again."""
import unittest

from harness import EtudeTest, verdicts

JOB = '''
import os, random, sys
arm, n, load, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
noise = random.Random(f"{arm} {n} {load} {seed}")
time_ms = {"a": 3.0 * n, "b": 8.0 + 0.5 * n}[arm] + (4.0 if load == "high" and arm == "a" else 0.0) + noise.gauss(0, 0.2)
if noise.random() < 0.05: time_ms += 0.5
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "time_ms", "value": {time_ms}}}\\n')
'''
STUDY = '''
etude: 1
title: Kinds of hypotheses
question: How do a and b compare along n and load?
run: python3 -S job.py {arm} {n} {load} {seed}
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


NULL_JOB = '''
import os, random, sys
noise = random.Random(sys.argv[1] + " " + sys.argv[2]).gauss(0, 1)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "time_ms", "value": {100 + noise}}}\\n')
'''
NULL_STUDY = '''
etude: 1
title: No difference
question: Does arm b take less time than arm a?
run: python3 -S job.py {arm} {seed}
factors:
  arm: {levels: [a, b], baseline: a}
metrics:
  time_ms: {unit: ms, goal: minimize, primary: true}
hypotheses:
  - id: H1
    statement: B is faster than a.
    smallest_effect: {absolute: 5}
    test: {metric: time_ms, treatment: {arm: b}, control: {arm: a}, direction: less}
  - id: H2
    statement: B is faster than a, by any amount.
    test: {metric: time_ms, treatment: {arm: b}, control: {arm: a}, direction: less}
design: {replicates: {min: 12, max: 12}, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''


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
        for words in ("interval of the interaction", "changes as hypothesised", "does not change as hypothesised",
                      "Wilcoxon's signed-rank test"):
            self.assertIn(words, report)
        checked = self.json("check", ara, "--strict")
        self.assertTrue(checked["ok"], checked)
        again = self.json("reproduce", ara, "-j", "2")
        self.assertEqual({c["outcome"] for c in again["claims"]}, {"reproduced"}, again)

    def test_an_absent_effect_is_shown_for_the_declared_size_alone(self):
        self.study(NULL_STUDY, NULL_JOB)
        plan = self.etude("plan", "study.yaml").stdout
        self.assertIn("H2 without a declared smallest effect", plan)
        self.assertEqual(self.json("plan", "study.yaml")["smallest_effect_undeclared"], ["H2"])
        study = self.run_study("-j", "2")
        by_id = {h["id"]: h for h in study["hypotheses"]}
        self.assertEqual(verdicts(study), {"H1": "no_relevant_effect", "H2": "inconclusive"})
        self.assertIn("it is not 5 ms less", by_id["H1"]["reason"])
        self.assertGreater(by_id["H1"]["interval"][0], -5)
        self.assertAlmostEqual(by_id["H1"]["level"], 0.95)
        self.assertIn("Too few runs: the 95 % interval", by_id["H2"]["reason"])
        self.assertIn("would be shown in 80 % of studies", by_id["H2"]["reason"])
        self.assertIn("≈ no relevant effect", self.etude("show", study["id"]).stdout)
        ara = self.dir / "study-ara"
        report = (ara / "report.md").read_text()
        self.assertIn("excludes a relevant effect for 1", report)
        self.assertIn("H1 (no relevant effect): time_ms under arm = b is not less than that under arm = a by 5 ms or more; measured: ", report)
        self.assertIn("≈</span> no relevant effect", (ara / "report.html").read_text())
        self.assertIn("No relevant effect:", (ara / "trace" / "exploration_tree.yaml").read_text())
        self.assertTrue(self.json("check", ara, "--strict")["ok"])
        self.assertTrue(self.json("audit", ara, "--strict")["ok"])
        again = self.json("reproduce", ara, "-j", "2")
        self.assertEqual({c["outcome"] for c in again["claims"]}, {"reproduced"}, again)
        found = self.json("recall", "faster", "--where", "verdict=no_relevant_effect")
        self.assertEqual([one["address"] for one in found if one["kind"] == "hypothesis"], ["s1/H1"])


if __name__ == "__main__":
    unittest.main()
