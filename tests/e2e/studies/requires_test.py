"""What a hypothesis requires beside its own test is registered, and survives the kernel."""
import os
import signal
import unittest

from harness import EtudeTest, verdicts

JOB = '''
import json, os, sys
arm, seed = sys.argv[1], int(sys.argv[2])
spread = {"slow": seed % 97 / 97, "fast": seed % 89 / 89}[arm]
values = {"cost": {"slow": 10, "fast": 4}[arm] + spread, "acc": {"slow": 0.9, "fast": 0.895}[arm] + spread / 1000}
with open(os.environ["ETUDE_METRICS"], "a") as out:
    for name, value in values.items():
        out.write(json.dumps({"name": name, "value": value}) + "\\n")
'''
STUDY = '''
etude: 1
title: Fast and good
question: Is fast cheaper without losing accuracy?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics:
  cost: {unit: s, goal: minimize, primary: true}
  acc: {goal: maximize}
hypotheses:
  - id: H1
    statement: Fast costs less, and is at most 2 % less accurate.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less,
           requires: [{metric: acc, direction: not_worse, margin: {relative: 0.02}}]}
  - id: H2
    statement: Fast costs less, and is at most 0.1 % less accurate.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less,
           requires: [{metric: acc, direction: not_worse, margin: {relative: 0.001}}]}
design: {replicates: {min: 6, max: 6}, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''


class Requires(EtudeTest):
    def test_it_is_known_to_the_kernel_that_goes_on_and_to_the_artifact(self):
        self.study(STUDY, JOB)
        struck = self.etude("run", "study.yaml", code=None, env=os.environ | {"ETUDE_FAULT": "kill-after-commit:9"})
        self.assertEqual(struck.returncode, -signal.SIGKILL)
        study = self.lines("resume")[-1]
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        held, broken = (h["requires"][0] for h in study["hypotheses"])
        self.assertEqual((held["metric"], held["verdict"], broken["verdict"]), ("acc", "supported", "refuted"))
        self.assertLess(held["effect"], 0)
        self.assertTrue(self.json("verify")["ok"])
        self.etude("check", self.dir / "study-ara", "--strict")
        self.assertIn("Required too: acc under arm = fast is not worse", (self.dir / "study-ara/report.md").read_text())
        claims = (self.dir / "study-ara/logic/claims.md").read_text()
        self.assertIn("Required too: acc is not worse than the control by 2 %", claims)


if __name__ == "__main__":
    unittest.main()
