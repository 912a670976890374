"""Metrics that no mean describes, through the real binary: times cut off by the limit, successes, values derived from two
runs; the control against itself; and what a second study of the same question is told of the first."""
import unittest

from harness import TIME_OUTS, EtudeTest, verdicts

JOB = '''
import json, os, random, sys, time
arm, noise, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
draw = random.Random(f"{arm} {noise} {seed}")
shared = random.Random(seed).gauss(0, 1)
again = random.Random(f"{seed} {noise} {arm}").gauss(0, 0.05)
accuracy = 80 + shared + again - noise * {"plain": 20, "robust": 5}[arm] + draw.gauss(0, 0.3)
solved = draw.random() < {"plain": 0.1, "robust": 0.95}[arm]
steps = 40 + draw.gauss(0, 3)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    put = lambda name, value, **more: out.write(json.dumps({"name": name, "value": value, **more}) + "\\n")
    put("accuracy", accuracy)
    put("solved", int(solved))
    out.flush()
    if arm == "plain" and draw.random() < 0.5:
        put("steps", 50, censored=True)
    else:
        put("steps", steps if arm == "plain" else steps / 2)
    out.flush()
    if os.environ.get("HANG") == arm and seed % 4 == 0:
        time.sleep(1000)
'''
STUDY = '''
etude: 1
title: Robust training
question: Does robust training lose less accuracy under noise?
run: python3 -S job.py {arm} {noise} {seed}
factors:
  arm: {levels: [plain, robust], baseline: plain}
  noise: {levels: [0, 0.5, 1]}
metrics:
  accuracy: {unit: points, goal: maximize, primary: true}
  loss: {goal: maximize, derive: {from: accuracy, relative_to: {noise: 0}}}
  solved: {type: proportion, goal: maximize}
  steps: {type: time, censor: right}
hypotheses:
  - id: H1
    statement: Robust training loses less accuracy to noise.
    test: {metric: loss, treatment: {arm: robust}, control: {arm: plain}, where: {noise: 1}, direction: greater,
           margin: {absolute: 10}, smallest_effect: {absolute: 3}}
  - id: H2
    statement: It solves more.
    test: {metric: solved, treatment: {arm: robust}, control: {arm: plain}, where: {noise: 1}, direction: greater,
           smallest_effect: {absolute: 0.6}}
  - id: H3
    statement: It takes less than two thirds of the steps.
    test: {metric: steps, treatment: {arm: robust}, control: {arm: plain}, where: {noise: 1}, direction: less,
           margin: {relative: 0.33}, smallest_effect: {relative: 0.1}}
  - id: H4
    statement: It takes more steps.
    test: {metric: steps, treatment: {arm: robust}, control: {arm: plain}, where: {noise: 1}, direction: greater,
           smallest_effect: {relative: 0.1}}
design: {replicates: {min: 12, max: 16}, pilot: 5, smoke: false, correction: benjamini_hochberg}
resources: {timeout: 10m, sandbox: none}
seeds: fixed
'''
EXPECTED = {"H1": "supported", "H2": "supported", "H3": "supported", "H4": "refuted"}


class MetricTypes(EtudeTest):
    def test_each_type_is_judged_by_its_own_test_and_judged_alike_again(self):
        self.study(STUDY, JOB)
        plan = self.etude("plan", "study.yaml").stdout
        self.assertIn("A/A: the control against itself", plan)
        study = self.run_study("-j", "2")
        self.assertEqual(verdicts(study), EXPECTED, [h["reason"] for h in study["hypotheses"]])
        by_id = {h["id"]: h for h in study["hypotheses"]}
        self.assertEqual([by_id[h]["method"] for h in ("H1", "H2", "H3")], ["t", "newcombe", "rank"])
        self.assertAlmostEqual(by_id["H1"]["effect"], 15, delta=1)
        self.assertTrue(-1 <= by_id["H2"]["interval"][0] <= by_id["H2"]["interval"][1] <= 1)

        # Runs of the reference cells are there though no hypothesis names them.
        runs = self.lines("runs", study["id"])
        registered = [r for r in runs if r["purpose"] == "registered"]
        self.assertEqual({r["factors"]["noise"] for r in registered}, {0, 1})

        # The control once more, on other seeds, and no evidence.
        again = [r for r in runs if r["purpose"] == "aa"]
        self.assertEqual(len(again), 5)
        self.assertFalse(any(r["evidence"] for r in again))
        controls = {r["seed"]: r for r in registered if r["factors"] == again[0]["factors"]}
        self.assertFalse({r["seed"] for r in again} & set(controls))
        [aa] = study["aa"]
        self.assertFalse(aa["differs"])
        self.assertEqual(aa["n"], 5)
        mean = lambda runs: sum(r["metrics"]["accuracy"] for r in runs) / len(runs)
        self.assertAlmostEqual(aa["difference"], mean(again) - mean(controls.values()), delta=1e-9)
        self.assertTrue(0.2 < aa["noise"] < 3, aa)
        order = [r["purpose"] for r in runs if r["purpose"] in ("aa", "registered")]
        self.assertNotEqual(order[-5:], ["aa"] * 5)

        ara = self.dir / "study-ara"
        report = (ara / "report.md").read_text()
        for words in ("no difference shown, as it should be", "Newcombe's interval", "q (FDR)", "Gehan's scores"):
            self.assertIn(words, report)
        csv = (ara / "evidence" / "results" / "E01.csv").read_text().splitlines()
        column = csv[0].split(",").index("loss")
        self.assertEqual(sum(1 for line in csv[1:] if line.split(",")[column] == "0"), 2 * by_id["H1"]["n"][0])
        checked = self.json("check", ara, "--strict")
        self.assertTrue(checked["ok"], checked)
        audited = self.json("audit", ara)
        self.assertTrue(audited["ok"], audited)
        reproduced = self.json("reproduce", ara, "-j", "2")
        self.assertEqual({c["outcome"] for c in reproduced["claims"]}, {"reproduced"}, reproduced)

        # A second study of the same question names the first.
        second = self.run_study("-j", "2", "-o", str(self.dir / "second-ara"))
        [first] = [h["predecessors"] for h in second["hypotheses"] if h["id"] == "H4"]
        self.assertEqual([p for p in first if p["study"] == study["id"]],
                         [{"study": study["id"], "hypothesis": h, "verdict": v, "other_code": False}
                          for h, v in (("H3", "supported"), ("H4", "refuted"))])
        self.assertIn("Tested before in the same home", (self.dir / "second-ara" / "report.md").read_text())

    def test_a_time_out_of_a_time_is_a_time_cut_off(self):
        study = STUDY.replace("min: 12, max: 16", "min: 12, max: 12")
        study = study.replace("run: python3", "run: HANG=plain python3").split("  - id: H4")[0].replace(
            "  steps: {type: time, censor: right}", "  steps: {type: time, censor: right, primary: true}").replace(
            "maximize, primary: true", "maximize") + STUDY[STUDY.index("design:"):].replace(
            "min: 12, max: 16", "min: 12, max: 12")
        first, rest = study.split("  - id: H1")
        study = first + "  - id: H3" + rest.split("  - id: H3")[1]
        for seconds in TIME_OUTS:
            self.study(study.replace("timeout: 10m", f"timeout: {seconds}s"), JOB)
            ended = self.run_study("-j", "2")
            late = [r for r in self.lines("runs", ended["id"]) if r["state"] == "timed_out"]
            if all(r["factors"]["arm"] == "plain" and r["seed"] % 4 == 0 for r in late):
                break
        self.assertTrue([r for r in late if r["purpose"] == "registered"])
        [h] = ended["hypotheses"]
        self.assertEqual(h["verdict"], "supported", h["reason"])
        self.assertEqual((h["n"], h["failed"]), ([12, 12], [0, 0]))


if __name__ == "__main__":
    unittest.main()
