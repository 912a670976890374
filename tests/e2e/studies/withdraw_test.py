"""A hypothesis that is withdrawn keeps its slot; a planted effect that is missed is said to be."""
import unittest

from harness import NOISY_JOB, NOISY_STUDY, EtudeTest, verdicts

STUDY = NOISY_STUDY + '''hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
  - {id: H2, statement: Same costs less., test: {metric: cost, treatment: {arm: same}, control: {arm: slow}, direction: less}}
design: {replicates: {min: 6, max: 6}, smoke: false%s}
gates: [{on: experiments, otherwise: pause}]
'''
PLANTED = ", planted: {test: {metric: cost, treatment: {arm: %s}, control: {arm: slow}, direction: less}}"


class Withdraw(EtudeTest):
    def test_it_has_no_verdict_no_claim_and_its_slot(self):
        self.study(STUDY % "", NOISY_JOB)
        id = self.run_study(code=None)["id"]
        self.etude("withdraw", id, "H9", "--why", "no such", code=2)
        said = self.etude("withdraw", id, "H2", "--why", "it asks nothing").stdout
        self.assertIn("keeps its slot", said)
        self.etude("approve", f"{id}-g1")
        study = self.lines("resume", id)[-1]
        first, second = study["hypotheses"]
        self.assertEqual(first["verdict"], "supported")
        self.assertAlmostEqual(first["level"], 1 - 2 * 0.05 / 2)
        self.assertEqual((second["verdict"], second["withdrawn"], second["p"]), ("inconclusive", "it asks nothing", None))
        self.assertIn("Withdrawn: it asks nothing", second["reason"])
        runs = self.lines("runs", id)
        self.assertNotIn("same", {run["factors"]["arm"] for run in runs})
        artifact = self.dir / "study-ara"
        self.etude("check", artifact, "--strict")
        self.assertEqual(self.json("audit", artifact)["findings"], [])
        self.assertNotIn("C02", (artifact / "logic/claims.md").read_text())
        report = (artifact / "report.md").read_text()
        self.assertIn("| withdrawn | none: it asks nothing |", report)
        self.assertIn("Of 1 registered hypothesis, the evidence supports 1, refutes none and leaves none undecided.", report)
        self.assertIn("H2 (withdrawn before a verdict): “", report)
        self.assertNotIn("unbounded", report + (artifact / "logic/claims.md").read_text())
        self.assertIn("– withdrawn", self.etude("show", id).stdout)
        self.assertNotIn("unbounded", self.etude("show", id).stdout)
        self.assertTrue(self.json("verify")["ok"])

    def test_it_uncovers_nothing_of_the_others(self):
        self.study((STUDY % "") + "budget: {runs: 8}\n", NOISY_JOB)
        id = self.run_study(code=None)["id"]
        self.etude("approve", f"{id}-g1")
        self.etude("resume", id, code=4)
        self.etude("withdraw", id, "H2", "--why", "to have a look")
        runs = [run for run in self.lines("runs", id) if run["state"] == "succeeded"]
        self.assertTrue(runs)
        self.assertEqual({value for run in runs for value in run["metrics"].values()}, {None})
        self.assertTrue(all(run["withheld"] for run in runs))

    def planted(self, arm):
        self.study(STUDY % (PLANTED % arm), NOISY_JOB)
        id = self.run_study(code=None)["id"]
        self.etude("approve", f"{id}-g1")
        study = self.lines("resume", id)[-1]
        self.assertEqual(verdicts(study)["H1"], "supported")
        self.etude("check", self.dir / "study-ara", "--strict")
        self.assertEqual(self.json("audit", self.dir / "study-ara")["findings"], [])
        return study["planted"], (self.dir / "study-ara/report.md").read_text()

    def test_a_planted_effect_that_is_there_heads_the_report(self):
        planted, report = self.planted("fast")
        self.assertEqual([p["found"] for p in planted], [True])
        self.assertIn("Planted effect: found, as it must be", report)

    def test_a_planted_effect_that_is_missed_is_the_first_thing_to_read(self):
        planted, report = self.planted("same")
        self.assertEqual([p["found"] for p in planted], [False])
        self.assertLess(report.index("Planted effect: NOT found"), report.index("## Design"))


if __name__ == "__main__":
    unittest.main()
