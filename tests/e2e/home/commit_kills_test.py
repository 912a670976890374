"""Killed just before and just after every commit of a study, also while it recovers: no work lost, none counted twice.

ETUDE_THOROUGH: strike the recovery from each boundary at every commit that it makes, instead of its first commit at every
fifth boundary (`make soak` does).
"""
import collections
import itertools
import os
import signal
import unittest
from concurrent.futures import ThreadPoolExecutor

from witness import WitnessTest

THOROUGH = bool(os.environ.get("ETUDE_THOROUGH"))
WORKERS = 2
KINDS = ("kill-before-commit", "kill-after-commit")


class Case(WitnessTest):
    """One study, killed as told; a test case of its own for its helpers, so that several may go on at once."""

    def killed(self, fault, *args):
        """Whether the fault struck; without one, or with one that comes too late, the study must conclude."""
        done = self.etude(*args, code=None, env=os.environ | {"ETUDE_FAULT": fault})
        self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
        return done.returncode != 0

    def survive(self, faults):
        """How many of the faults struck, one after another, before a resume that nobody disturbs."""
        struck = 0
        for fault in faults:
            # Nothing to go on with: the store knew no study yet.
            begun = struck > 0 and self.json("ls")
            if not self.killed(fault, *(("resume", "-j", "2") if begun else ("run", "study.yaml", "-j", "2"))):
                return struck
            struck += 1
        self.etude(*(("resume",) if self.json("ls") else ("run", "study.yaml", "-j", "2")))
        return struck


def struck_case(number, faults, expected):
    """(faults that struck, what became of the runs)"""
    case = Case()
    case.setUp()
    try:
        case.place(f"{number}")
        struck = case.survive(faults)
        try:
            return struck, case.check_whole(expected)
        except AssertionError as wrong:
            raise AssertionError(f"after {', '.join(faults)}: {wrong}") from wrong
    finally:
        case.tearDown()


class EveryCommit(WitnessTest):
    def test_killed_at_a_commit_the_study_ends_as_if_nothing_had_been(self):
        self.place("undisturbed")
        study = self.run_study("-j", "2")
        expected = self.outcome(study)
        self.assertEqual(expected[:2], ("concluded", {"H1": "supported", "H2": "refuted"}))
        self.check_whole(expected)

        total, numbers = collections.Counter(), itertools.count()
        with ThreadPoolExecutor(WORKERS) as pool:
            def struck_by(cases):
                """Those of the cases whose every fault struck."""
                hit = []
                for faults, (struck, fates) in zip(cases, pool.map(
                        lambda faults: struck_case(next(numbers), faults, expected), cases)):
                    total["kills"] += struck
                    total.update(fates)
                    if struck == len(faults):
                        hit.append(faults)
                        total[struck] += 1
                return hit

            def all_struck(before, kind):
                """With one more fault at each further commit. How many there are is a matter of timing: it ends where a
                study ends before its fault."""
                hit = []
                for at in itertools.count(1, WORKERS):
                    batch = [[*before, f"{kind}:{n}"] for n in range(at, at + WORKERS)]
                    hit += struck_by(batch)
                    if len(hit) < at + WORKERS - 1:
                        return hit

            boundaries = [faults for kind in KINDS for faults in all_struck([], kind)]
            if THOROUGH:
                for first in boundaries:
                    for kind in KINDS:
                        all_struck(first, kind)
            else:
                struck_by([[*first, f"{kind}:1"] for first in boundaries[::5] for kind in KINDS])
        # A busy machine commits more events at once, so that there are fewer commits.
        for kind in KINDS:
            self.assertGreater(sum(faults[0].startswith(kind) for faults in boundaries), 5, kind)
        self.assertGreater(total["adopted"] + total["voided"], 0)
        print(f"{total['kills']} kills at {total[1]} boundaries, then {total[2]} in the recovery: {total['adopted']} runs "
              f"adopted, {total['voided']} launches voided, {total['lost']} runs lost and run again, 0 started twice")

    def test_a_fault_that_is_none_is_refused_by_name(self):
        self.place("refused")
        for fault in ("kill", "kill-before-commit:0", "kill-after-commit:x", "kill-after-commit:1 "):
            refused = self.etude("run", "study.yaml", code=3, env=os.environ | {"ETUDE_FAULT": fault})
            self.assertIn("ETUDE_FAULT", refused.stderr)


if __name__ == "__main__":
    unittest.main()
