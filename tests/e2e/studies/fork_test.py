"""A new study from a point of another one."""
import unittest

from harness import EtudeTest, verdicts, until
from held import HeldTest



class Fork(EtudeTest):
    def events(self, ident):
        return self.lines("log", ident)

    def test_a_fork_goes_on_from_its_point_with_the_evidence_before_it(self):
        self.study()
        first = self.run_study("-j", "2")
        log = self.events(first["id"])
        ends = [e for e in log if e["type"] == "RunEnded"]
        at = ends[10]["seq"]
        fork = self.json("fork", first["id"], "--at", at)
        self.assertEqual((fork["state"], fork["reason"]), ("paused", "fork"))
        self.assertEqual(fork["forked_from"]["from"], first["id"])
        before = {r["seed"]: r for r in self.lines("runs", fork["id"]) if r["state"] == "succeeded"}
        self.assertGreaterEqual(len(before), 1)
        ended = self.lines("resume", fork["id"])[-1]
        self.assertEqual(ended["outcome"], "concluded")
        self.assertEqual(verdicts(ended), verdicts(first))
        self.assertEqual(ended["runs"]["total"], first["runs"]["total"])
        self.assertEqual(ended["hypotheses"][0]["effect"], first["hypotheses"][0]["effect"])
        self.assertEqual([h["p_corrected"] for h in ended["hypotheses"]], [h["p_corrected"] for h in first["hypotheses"]])
        # What the other study had run was not run again.
        starts = [e for e in self.events(fork["id"]) if e["type"] == "RunStarting" and e["time"] > fork_time(self, fork)]
        self.assertLess(len(starts), first["runs"]["total"])
        self.assertTrue(self.json("verify")["ok"])
        self.assertTrue(self.json("check", ended["artifact"], "--strict")["ok"])
        self.assertNotEqual(ended["artifact"], first["artifact"])
        self.assertEqual(self.json("show", first["id"])["head"], first["head"])

    def test_a_fork_needs_a_point_that_something_follows(self):
        self.study()
        first = self.run_study("-j", "2")
        log = self.events(first["id"])
        for at, words in ((log[-1]["seq"], "concluded"), (log[-1]["seq"] + 50, "no event"), (0, "no event")):
            said = self.etude("fork", first["id"], "--at", at, code=2)
            self.assertIn(words, said.stderr)
        self.etude("fork", "s9", "--at", 1, code=2)
        self.assertEqual(len(self.json("ls")), 1)

    def test_half_a_decision_is_no_point_to_fork_at(self):
        self.study()
        first = self.run_study("-j", "2")
        registered = next(e for e in self.events(first["id"]) if e["type"] == "ExperimentRegistered")
        fork = self.json("fork", first["id"], "--at", registered["seq"])
        runs = [r for r in self.lines("runs", fork["id"]) if r["purpose"] == "registered"]
        self.assertEqual(len(runs), first["runs"]["total"] - first["runs"]["scratch"])
        self.assertEqual({r["state"] for r in runs}, {"queued"})


class LiveFork(HeldTest):
    def test_a_study_that_runs_is_forked_by_its_owner_and_its_jobs_stay_its_own(self):
        study = self.held("one")
        owner = self.begin("run", study, "-j", "2")
        first = self.id_of("one")
        self.until_started(first, 2)
        at = until(lambda: next((e["seq"] for e in reversed(self.lines("log", first)) if e["type"] == "RunStarted"), None))
        fork = self.json("fork", first, "--at", at)
        self.assertEqual((fork["state"], fork["forked_from"]["from"]), ("paused", first))
        self.assertEqual({r["state"] for r in self.lines("runs", fork["id"])}, {"queued"})
        self.assertEqual(self.json("show", first)["state"], "running")
        self.let_go("one")
        self.ended(owner)
        ended = self.lines("resume", fork["id"])[-1]
        self.assertEqual(verdicts(ended), verdicts(self.json("show", first)))
        mine = {r for r, _, _ in self.started(fork["id"])}
        self.assertEqual(len(mine), ended["runs"]["total"])
        self.assertTrue(self.json("verify")["ok"])


def fork_time(test, fork):
    return next(e["time"] for e in test.events(fork["id"]) if e["type"] == "StudyForked")


if __name__ == "__main__":
    unittest.main()
