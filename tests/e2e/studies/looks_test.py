"""Registered looks: what is clear stops early, what is not goes on; nothing leaks before, and a crash changes nothing."""
import os
import signal
import unittest

from harness import NOISY_JOB, NOISY_STUDY, EtudeTest, verdicts

STUDY = NOISY_STUDY + '''hypotheses:
  - {id: H1, statement: Fast costs less., test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}}
  - {id: H2, statement: Same costs less., test: {metric: cost, treatment: {arm: same}, control: {arm: slow}, direction: less}, smallest_effect: {absolute: 0.1}}
design: {replicates: {min: 10, max: 10}, smoke: false, looks: {at: [0.5, 1]}}
'''


MONITORED = STUDY.replace("replicates: {min: 10, max: 10}", "replicates: {min: 4, max: 12}").replace(
    "looks: {at: [0.5, 1]}", "looks: anytime")


class Looks(EtudeTest):
    def counted(self, study):
        runs = self.lines("runs", study["id"])
        self.assertEqual([int(run["id"].split("-r")[1]) for run in runs], list(range(1, len(runs) + 1)))
        return {arm: sum(run["factors"]["arm"] == arm for run in runs) for arm in ("slow", "fast", "same")}

    def test_a_clear_hypothesis_stops_and_the_others_go_on(self):
        self.study(STUDY, NOISY_JOB)
        study = self.lines("run", "study.yaml")[-1]
        clear, open_ = study["hypotheses"]
        self.assertEqual(clear["verdict"], "supported")
        self.assertEqual(clear["look"], {"number": 1, "of": 2, "fraction": 0.5})
        self.assertEqual(clear["n"], [5, 5])
        self.assertIn("Decided at look 1 of 2, at 50 % of its runs.", clear["reason"])
        self.assertGreater(clear["level"], 0.99)
        self.assertEqual((open_["look"]["number"], open_["n"]), (2, [10, 10]))
        self.assertEqual(self.counted(study), {"slow": 10, "fast": 5, "same": 10})
        self.etude("check", self.dir / "study-ara", "--strict")
        self.assertEqual(self.json("audit", self.dir / "study-ara")["findings"], [])
        self.assertIn("decided at look 1 of 2", (self.dir / "study-ara/report.md").read_text())
        again = self.json("reproduce", self.dir / "study-ara")
        self.assertEqual({claim["outcome"] for claim in again["claims"]}, {"reproduced"})

    def test_a_clear_hypothesis_is_decided_as_soon_as_its_confidence_sequence_is_clear(self):
        self.study(MONITORED, NOISY_JOB)
        self.assertIn("looks after every pair from 4 on, by a confidence sequence",
                      self.etude("plan", "study.yaml").stdout)
        study = self.lines("run", "study.yaml", "-j", "2")[-1]
        clear, open_ = study["hypotheses"]
        self.assertEqual((clear["verdict"], open_["verdict"]), ("supported", "inconclusive"), (clear, open_))
        pairs = clear["n"][0]
        self.assertTrue(4 <= pairs < 12, clear)
        self.assertIn(f"Decided after {pairs} pairs of at most 12", clear["reason"])
        self.assertEqual(open_["n"], [12, 12])
        self.assertEqual(self.counted(study), {"slow": 12, "fast": pairs, "same": 12})
        # Wider than Student's interval of the same pairs would be.
        self.assertGreater(clear["interval"][1] - clear["interval"][0], 0)
        ara = self.dir / "study-ara"
        self.etude("check", ara, "--strict")
        self.assertEqual(self.json("audit", ara)["findings"], [])
        self.assertIn("By a confidence sequence", (ara / "report.md").read_text())
        self.assertEqual({claim["outcome"] for claim in self.json("reproduce", ara)["claims"]}, {"reproduced"})

    def test_a_kernel_that_dies_around_a_look_takes_it_once(self):
        self.study(STUDY, NOISY_JOB)
        events = None
        for commit in (14, 22, 30):
            self.home = self.tmp / f"home-{commit}"
            env = os.environ | {"ETUDE_FAULT": f"kill-after-commit:{commit}"}
            struck = self.etude("run", "study.yaml", "-j", "1", code=None, env=env)
            if struck.returncode != -signal.SIGKILL:
                break
            resumed = self.lines("resume")
            if not resumed:  # It died after the study's end: a slow disk splits the same events into more commits.
                break
            study = resumed[-1]
            self.assertEqual(verdicts(study)["H1"], "supported")
            self.assertEqual(study["hypotheses"][0]["n"], [5, 5])
            events = self.lines("log", study["id"])
            self.assertEqual([e["type"] for e in events].count("InterimLook"), 1)
        self.assertIsNotNone(events)

    def test_the_plan_says_when_and_at_what_level(self):
        self.study(STUDY, NOISY_JOB)
        looks = self.json("plan", "study.yaml")["looks"]
        self.assertEqual([look["at"] for look in looks], [0.5, 1])
        self.assertLess(looks[0]["level"], looks[1]["level"])
        self.assertLess(looks[1]["level"], 0.025)
        self.assertIn("at 50 % of the replicates", self.etude("plan", "study.yaml").stdout)


if __name__ == "__main__":
    unittest.main()
