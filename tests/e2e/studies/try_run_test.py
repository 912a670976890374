"""`etude try --run`: the same run again, whatever has become of the study's folder."""
import unittest

from harness import EtudeTest

JOB = '''
import os, sys
arm, seed = sys.argv[1], int(sys.argv[2])
if arm == "broken":
    sys.exit(f"no table for seed {seed}")
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {len(arm) + seed % 99991}}}\\n')
'''
STUDY = '''
etude: 1
title: Two arms
question: Which arm is cheaper?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [good, broken], baseline: good}}
metrics: {cost: {goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Broken costs less., test: {metric: cost, treatment: {arm: broken}, control: {arm: good}, direction: less}}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''


class TryRunTest(EtudeTest):
    def test_it_has_the_code_the_setting_and_the_seed_of_then(self):
        self.study(STUDY, JOB)
        study = self.run_study(code=None)["id"]
        runs = self.lines("runs", study)
        failed = next(run for run in runs if run["state"] == "failed")
        good = next(run for run in runs if run["state"] == "succeeded")
        self.write("job.py", "raise SystemExit('other code')\n")
        self.assertIn(f"again     etude try --run {failed['id']}\n", self.etude("show", study).stdout)
        again = self.etude("try", "--run", failed["id"], code=1)
        self.assertIn(f"no table for seed {failed['seed']}\n", again.stderr)
        tried = self.json("try", "--run", good["id"])
        self.assertEqual([tried[key] for key in ("factors", "seed", "metrics", "withheld")],
                         [good["factors"], good["seed"], good["metrics"], False])
        # It is no run of the study, and nothing predicts by it.
        self.assertEqual(self.lines("runs", study), runs)
        self.assertFalse((self.home / "tries.jsonl").exists())
        for words, said in ((["--run", f"{study}-r99"], "has"), (["--run", "s9-r1"], "s9"), (["--run", "x"], "x"),
                            (["study.yaml", "--run", good["id"]], "a study file, or a run"), ([], "a study file, or a run"),
                            (["--run", good["id"], "--set", "arm=good"], "a recorded run has its setting")):
            self.assertIn(said, self.etude("try", *words, code=2).stderr)

    def test_by_hand_no_value_can_be_had_that_is_withheld(self):
        self.study(STUDY.replace("min: 2, max: 2", "min: 4, max: 4") + "budget: {runs: 5}\n", JOB)
        study = self.run_study(code=None)
        self.assertEqual((study["state"], study["reason"]), ("paused", "budget"))
        runs = self.lines("runs", study["id"])
        good = next(run for run in runs if run["state"] == "succeeded")
        failed = next(run for run in runs if run["state"] == "failed")
        self.assertEqual((good["withheld"], failed["withheld"]), (True, True))
        self.assertIn("withheld until its experiment is analysed", self.etude("try", "--run", good["id"], code=2).stderr)
        self.assertEqual(self.json("try", "--run", failed["id"], code=1)["withheld"], True)

    def test_a_run_that_failed_by_chance_and_succeeds_now_does_not_show_its_value(self):
        there = self.tmp / "there"
        job = JOB.replace('arm == "broken"', f'arm == "broken" and not os.path.exists({str(there)!r})')
        self.study(STUDY.replace("min: 2, max: 2", "min: 4, max: 4") + "budget: {runs: 5}\n", job + 'print("it costs", seed)\n')
        study = self.run_study(code=None)
        failed = next(run for run in self.lines("runs", study["id"]) if run["state"] == "failed")
        self.assertIn("no table for seed", self.etude("try", "--run", failed["id"], code=1).stderr)
        there.touch()
        said = self.etude("try", "--run", failed["id"])
        self.assertIn("values are withheld", said.stdout)
        self.assertNotIn("it costs", said.stdout + said.stderr)


if __name__ == "__main__":
    unittest.main()
