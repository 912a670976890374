"""`--priority`: runs of a more urgent study start first, and what a person gave is recorded."""
import os
import unittest

from harness import until
from held import HELD_STUDY, HeldTest

# A run takes the whole machine, so that one runs at a time.
WHOLE = HELD_STUDY.replace("min: 3, max: 3}}", "min: 3, max: 3}}, smoke: false").replace(
    "sandbox: none", f"sandbox: none, cpus: {len(os.sched_getaffinity(0))}")


class Priority(HeldTest):
    def test_runs_of_a_greater_priority_start_first(self):
        first = self.begin("run", self.held("first", WHOLE), "-j", "1")
        self.until_started("s1")
        others = [self.begin("run", self.held("low", WHOLE), "-j", "1")]
        self.id_of("low")
        others.append(self.begin("run", self.held("high", WHOLE), "-j", "1", "--priority", "3"))
        until(lambda: [study["runs"]["queued"] for study in self.listed()] == [5, 6, 6])
        self.assertEqual([study.get("priority", 0) for study in self.listed()], [0, 0, 3])
        self.let_go("first", "low", "high")
        for kernel in (first, *others):
            self.ended(kernel)
        order = [run.split("-")[0] for run, _, _ in self.started()]
        self.assertEqual(order[:7], ["s1"] + 6 * ["s3"])
        self.assertEqual(sorted(order[7:]), 5 * ["s1"] + 6 * ["s2"])
        self.assertIn("priority  3", self.etude("show", "s3", "--all").stdout)
        self.assertNotIn("priority", self.etude("show", "s2", "--all").stdout)

    def test_a_paused_study_goes_on_with_another_one(self):
        kernel = self.begin("run", self.held("one"), "-j", "1", "--priority", "-2")
        self.until_started("s1")
        self.etude("pause", "s1")
        self.let_go("one")
        self.ended(kernel, code=130)
        self.assertEqual(self.json("show", "s1")["priority"], -2)
        self.etude("resume", "s1", "--priority", "0")
        self.assertNotIn("priority", self.json("show", "s1"))

    def test_no_such_priority(self):
        file = self.held("one")
        for given in ("11", "-11", "high"):
            self.assertIn("--priority", self.etude("run", file, "--priority", given, code=2).stderr)
        self.assertEqual(self.listed(), [])


if __name__ == "__main__":
    unittest.main()
