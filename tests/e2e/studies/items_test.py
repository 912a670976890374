"""Items as units, through the real binary: questions that both models answer are paired, and the verdict is about them."""
import math
import statistics
import unittest

from harness import EtudeTest

JOB = '''
import json, os, random, sys
model, seed = sys.argv[1], int(sys.argv[2])
with open(os.environ["ETUDE_METRICS"], "a") as out:
    for number in range(40):
        ease = random.Random(f"item {number}").gauss(0, 1)
        effect = random.Random(f"effect {number}").gauss(0.9, 0.5) if model == "large" else 0
        score = ease + effect + random.Random(f"{model} {number} {seed}").gauss(0, 0.3)
        if number == 7 and model == "large" and os.path.exists("lazy"):
            continue
        out.write(json.dumps({"name": "score", "value": score, "item": f"q{number}"}) + "\\n")
        out.write(json.dumps({"name": "correct", "value": int(score > 0), "item": f"q{number}"}) + "\\n")
'''
STUDY = '''
etude: 1
title: Two models on the same questions
question: Does the large model score higher on questions like these?
run: python3 -S job.py {model} {seed}
factors:
  model: {levels: [small, large], baseline: small}
metrics:
  score: {goal: maximize, summary: mean, primary: true}
  correct: {goal: maximize, summary: mean, type: proportion}
hypotheses:
  - id: H1
    statement: The large model scores higher.
    unit: item
    test: {metric: score, treatment: {model: large}, control: {model: small}, direction: greater}
  - id: H2
    statement: The large model has a higher share of correct answers.
    unit: item
    test: {metric: correct, treatment: {model: large}, control: {model: small}, direction: greater}
design: {replicates: {min: SEEDS, max: SEEDS}, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''


class Items(EtudeTest):
    def concluded(self, seeds):
        self.study(STUDY.replace("SEEDS", str(seeds)), JOB)
        study = self.run_study("-j", "2")
        return study, {h["id"]: h for h in study["hypotheses"]}

    def by_item(self, study, metric):
        """Model -> item -> values over the seeds, from the metrics of the runs."""
        values = {"small": {}, "large": {}}
        for run in self.lines("runs", study["id"]):
            for line in self.lines("metrics", run["id"]):
                if line["name"] == metric:
                    values[run["factors"]["model"]].setdefault(line["item"], []).append(line["value"])
        return values

    def test_a_seed_that_changes_items_and_not_their_mean_changes_something(self):
        job = """
import json, os, random, sys
model, seed = sys.argv[1], int(sys.argv[2])
right = [1] * 20 + [0] * 20
random.Random(seed).shuffle(right)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    for number, value in enumerate(right):
        value = value if model == "small" else max(value, int(number % 3 == 0))
        out.write(json.dumps({"name": "score", "value": value, "item": f"q{number}"}) + "\\n")
"""
        study_file = STUDY.replace("SEEDS", "3").replace("smoke: false", "smoke: true")
        study_file = study_file[:study_file.index("  - id: H2")] + study_file[study_file.index("design:"):]
        self.study(study_file.replace("  correct: {goal: maximize, summary: mean, type: proportion}\n", ""), job)
        study = self.run_study("-j", "2")
        self.assertEqual((study["state"], study["outcome"], study["reason"]), ("ended", "concluded", None))
        self.assertTrue(self.json("audit", study["artifact"])["ok"])
        # Where the items do not differ either, it waits for a person.
        self.study(study_file.replace("  correct: {goal: maximize, summary: mean, type: proportion}\n", ""), job.replace("random.Random(seed)", "random.Random(0)"))
        self.assertEqual(self.run_study("-o", self.dir / "other-ara", code=1)["reason"], "seed")

    def test_items_are_averaged_over_seeds_and_paired(self):
        study, by_id = self.concluded(3)
        h = by_id["H1"]
        values = self.by_item(study, "score")
        shared = sorted(set(values["small"]) & set(values["large"]))
        differences = [statistics.mean(values["large"][q]) - statistics.mean(values["small"][q]) for q in shared]
        self.assertEqual(len(shared), 40)
        self.assertEqual(h["n"], [40, 40])
        self.assertEqual(h["reading"]["runs"], [3, 3])
        self.assertEqual(h["verdict"], "supported")
        self.assertAlmostEqual(h["effect"], statistics.mean(differences), delta=1e-9)
        # The 97.5th percentile of t with 39 degrees of freedom: Holm's first of two, one-sided.
        reach = 2.022690920036762 * statistics.stdev(differences) / math.sqrt(40)
        self.assertAlmostEqual(h["interval"][0], statistics.mean(differences) - reach, delta=1e-9)
        self.assertTrue(any("averaged over 3 seeds: the verdict holds for these seeds" in w for w in h["warnings"]))
        ara = self.dir / "study-ara"
        self.etude("check", ara, "--strict")
        self.assertEqual(self.json("audit", ara)["findings"], [])
        report = (ara / "report.md").read_text()
        self.assertIn("40 items", report)
        again = self.json("reproduce", ara)
        self.assertEqual({claim["outcome"] for claim in again["claims"]}, {"reproduced"})

    def test_outcomes_on_one_seed_are_tested_by_mcnemar(self):
        study, by_id = self.concluded(1)
        values = self.by_item(study, "correct")
        shared = set(values["small"]) & set(values["large"])
        gained = sum(values["large"][q] > values["small"][q] for q in shared)
        lost = sum(values["large"][q] < values["small"][q] for q in shared)
        exact = sum(math.comb(gained + lost, k) for k in range(gained, gained + lost + 1)) / 2 ** (gained + lost)
        h = by_id["H2"]
        self.assertEqual(h["method"], "newcombe")
        self.assertGreaterEqual(h["p"], exact - 1e-12)
        self.assertEqual(h["n"], [40, 40])

    def test_an_item_that_one_arm_lacks_leaves_no_verdict(self):
        self.write("lazy", "")
        study, by_id = self.concluded(2)
        for h in by_id.values():
            self.assertEqual(h["verdict"], "inconclusive")
            self.assertIn("1 item lacks a value", h["reason"])


if __name__ == "__main__":
    unittest.main()
