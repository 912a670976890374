"""Launches that never happened, attempts that share a checkpoint, and what is left of either."""
import os
import pathlib
import shutil
import unittest

import harness
from harness import STUDY, EtudeTest, verdicts


class Launches(EtudeTest):
    def with_supervisor(self, text):
        """A folder with our program and another supervisor; gives what puts the real one back."""
        programs = self.tmp / "bin"
        programs.mkdir()
        shutil.copy(harness.ETUDE, programs / "etude")
        supervisor = programs / "etude-supervisor"
        supervisor.write_text(text)
        supervisor.chmod(0o755)
        real, harness.ETUDE = harness.ETUDE, programs / "etude"
        self.addCleanup(setattr, harness, "ETUDE", real)
        return lambda: (supervisor.unlink(), shutil.copy(real.parent / "etude-supervisor", supervisor))

    def folders(self):
        return sorted(str(p.relative_to(self.home)) for p in (self.home / "runs").rglob("*"))

    def test_a_launch_that_nobody_claimed_is_launched_again_and_costs_nothing(self):
        # The kernel dies between writing the run folder and the claim.
        put_back = self.with_supervisor("#!/bin/sh\nkill -9 $PPID\n")
        self.study(STUDY.replace("timeout: 20s", "timeout: 20s, sandbox: none"))
        self.etude("run", "study.yaml", "-j", "2", code=-9)
        self.etude("resume", code=-9)
        put_back()
        study = self.lines("resume")[-1]
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        self.assertEqual(study["runs"]["succeeded"], study["runs"]["total"])
        self.assertTrue(self.json("verify")["ok"])
        self.assertEqual([f for f in self.folders() if "/" in f[len("runs/"):]], [])


if __name__ == "__main__":
    unittest.main()
