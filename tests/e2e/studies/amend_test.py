"""Code that is mended while its study goes on: what nobody had seen keeps its slot, what was seen counts once more."""
import unittest

from harness import NOISY_JOB, EtudeTest, verdicts

# The first version of the job fails in one arm, or everywhere.
BROKEN = "import sys\nif sys.argv[1] %s: raise SystemExit('a bug')\n" + NOISY_JOB
STUDY = '''
etude: 1
title: Amended
question: Which is cheaper?
workspace: {path: ., exclude: [notes.txt]}
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
evaluator: {protect: [frozen.py]}
design: {replicates: {min: 6, max: 6}, smoke: false, family: 2}
gates: [{on: experiments, otherwise: pause}]
budget: {runs: 4}
resources: {timeout: 10m, sandbox: none}
'''


class Amend(EtudeTest):
    def stopped(self, broken):
        """Registered, and stopped by its budget after four runs."""
        self.study(STUDY, BROKEN % broken)
        self.write("frozen.py", "print(1)\n")
        id = self.run_study(code=None)["id"]
        self.etude("approve", f"{id}-g1")
        self.etude("resume", id, "-j", "1", code=4)
        return id

    def ended(self, id):
        study = self.lines("resume", id, "--budget", "runs=100")[-1]
        artifact = self.dir / "study-ara"
        self.etude("check", artifact, "--strict")
        self.assertEqual(self.json("audit", artifact)["findings"], [])
        self.assertTrue(self.json("verify")["ok"])
        workspaces = [p for p in (artifact / "src/workspace").iterdir() if p.is_dir()]
        self.assertEqual(len(workspaces), 2)
        self.assertIn("It crashed.", (artifact / "report.md").read_text())
        return study

    def test_a_crash_that_is_fixed_before_any_value_keeps_its_slot(self):
        id = self.stopped("in ('fast', 'slow')")
        self.assertIn("is as it was", self.etude("amend", id, "--why", "it crashed", code=2).stderr)
        self.write("job.py", NOISY_JOB)
        self.assertIn("every hypothesis keeps its slot", self.etude("amend", id, "--why", "it crashed").stdout)
        study = self.ended(id)
        self.assertEqual(verdicts(study), {"H1": "supported"})
        h = study["hypotheses"][0]
        self.assertEqual((h["experiment"], h["n"], h["batch"]), ("E02", [6, 6], 1))
        runs = self.lines("runs", id)
        first = {run["seed"] for run in runs if run["experiment"] == "E01"}
        second = {run["seed"] for run in runs if run["experiment"] == "E02"}
        self.assertEqual(first, second)
        self.assertFalse(any(run["evidence"] and run["state"] == "succeeded" for run in runs if run["experiment"] == "E01"))

    def test_after_a_value_was_seen_its_hypotheses_count_once_more(self):
        id = self.stopped("== 'fast'")
        self.write("job.py", NOISY_JOB)
        said = self.etude("amend", id, "--why", "it crashed").stdout
        self.assertIn("H1 is withdrawn and tested anew as H1-2\n", said)
        study = self.ended(id)
        self.assertEqual(verdicts(study), {"H1": "inconclusive", "H1-2": "supported"})
        first, second = study["hypotheses"]
        self.assertIn("values had been seen", first["withdrawn"])
        self.assertEqual((second["batch"], second["experiment"], second["status"]), (2, "E02", "final"))
        # One of a family of two, in a batch by itself.
        self.assertAlmostEqual(second["level"], 1 - 2 * 0.05 / 2)

    def test_another_evaluator_is_another_study(self):
        id = self.stopped("in ('fast', 'slow')")
        self.write("job.py", NOISY_JOB)
        self.write("frozen.py", "print(2)\n")
        self.assertIn("protected file changed", self.etude("amend", id, "--why", "it crashed", code=2).stderr)
        self.assertEqual(self.json("show", id)["hypotheses"][0]["experiment"], "E01")

    def test_what_has_ended_is_not_amended(self):
        self.study(STUDY.replace("budget: {runs: 4}\n", "").replace("gates: [{on: experiments, otherwise: pause}]\n", ""), NOISY_JOB)
        self.write("frozen.py", "print(1)\n")
        id = self.run_study()["id"]
        self.write("job.py", NOISY_JOB + "# other\n")
        self.assertIn("has ended", self.etude("amend", id, "--why", "late", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
