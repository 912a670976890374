"""Supervisors that are killed, kernels and supervisors that are stopped for a while, and a log whose last bytes are torn.

ETUDE_STOPPED: how many seconds longer than its test needs a stopped process stays so (default 0; 60 in `make soak`).
"""
import contextlib
import os
import signal
import subprocess
import time
import unittest

from harness import PATIENCE, until
from witness import WitnessTest

STOPPED = float(os.environ.get("ETUDE_STOPPED", "0"))
FRAME = 4096 + 24


class Survivors(WitnessTest):
    expected = None

    def setUp(self):
        super().setUp()
        self.kernels = []
        if not Survivors.expected:
            self.place("undisturbed")
            Survivors.expected = self.outcome(self.run_study())

    def tearDown(self):
        for supervisor in self.supervisors().values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(supervisor, signal.SIGCONT)
        for kernel in self.kernels:
            if kernel.poll() is None:
                kernel.kill()
            kernel.wait()
        self.let_go()
        left = self.carriers()
        super().tearDown()
        self.assertEqual(left, [])

    def hold(self):
        (self.seen / "hold").touch()

    def let_go(self):
        (self.seen / "hold").unlink(missing_ok=True)

    def begin(self, *args):
        self.kernels.append(subprocess.Popen(self.command(*args), cwd=self.dir, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))
        return self.kernels[-1]

    def held_study(self, name, jobs=1, **how):
        """A kernel at work whose first jobs wait."""
        self.place(name, **how)
        self.hold()
        kernel = self.begin("run", "study.yaml", "-j", jobs)
        self.until_starts(jobs)
        return kernel

    def starts(self):
        return [run for run, word in self.ledger() if word == "start"]

    def until_starts(self, number):
        until(lambda: len(self.starts()) >= number)

    def until_ends(self, number):
        until(lambda: sum(word == "end" for _, word in self.ledger()) == number)

    def supervisors(self):
        """Run folder → the process that its claim names."""
        found = {}
        for claim in (self.home / "runs").glob("*/*/claim"):
            words = dict(line.split("=", 1) for line in claim.read_text().splitlines()[1:])
            if "pid" in words:
                found[claim.parent] = int(words["pid"])
        return found

    def jobs(self):
        return set(self.carriers(0)) - set(self.supervisors().values()) - {k.pid for k in self.kernels}

    def concluded(self, fates=None):
        """Lets everything go on, and waits until the study has ended, by its owner or by a resume."""
        self.let_go()
        kernel = self.kernels[-1]
        if kernel.poll() is None:
            self.assertEqual(kernel.wait(timeout=PATIENCE), 0)
        else:
            self.etude("resume")
        found = self.check_whole(self.expected)
        if fates is not None:
            self.assertEqual(dict(found), fates)

    def lost(self):
        return [run for run in self.lines("runs", self.only_id()) if run["state"] == "lost"]

    def test_a_killed_supervisor_takes_its_job_along_and_the_run_is_run_again_with_its_seed(self):
        self.held_study("killed")
        (supervisor,), first = self.supervisors().values(), self.jobs()
        self.assertTrue(first)
        os.kill(supervisor, signal.SIGKILL)
        self.until_starts(2)
        self.assertEqual(first & set(self.carriers(0)), set())
        self.concluded()
        (lost,) = self.lost()
        again = next(run for run in self.lines("runs", "s1") if run["retry_of"] == lost["id"])
        self.assertEqual((again["seed"], again["factors"], again["state"]), (lost["seed"], lost["factors"], "succeeded"))
        self.assertIn("vanished", lost["reason"])
        self.assertFalse(lost["evidence"])

    def test_kernel_and_supervisors_killed_together_the_runs_are_lost_and_run_again(self):
        kernel = self.held_study("both", jobs=2)
        # The kernel first: one that lives on for a moment starts the runs of the killed supervisors again.
        for pid in (kernel.pid, *self.supervisors().values()):
            os.kill(pid, signal.SIGKILL)
        kernel.wait()
        self.concluded({"lost": 2})
        self.assertEqual(len(self.lost()), 2)

    def test_a_supervisor_killed_before_its_kernel_looks_is_found_by_the_next_one(self):
        kernel = self.held_study("stopped-first")
        kernel.send_signal(signal.SIGSTOP)
        (supervisor,) = self.supervisors().values()
        os.kill(supervisor, signal.SIGKILL)
        kernel.kill()
        kernel.wait()
        self.concluded({"lost": 1})

    def test_a_stopped_kernel_takes_no_harm(self):
        kernel = self.held_study("kernel", jobs=2)
        kernel.send_signal(signal.SIGSTOP)
        self.let_go()
        self.until_ends(2)
        self.assertEqual(self.json("show", self.only_id())["owner"], kernel.pid)
        time.sleep(STOPPED)
        kernel.send_signal(signal.SIGCONT)
        self.concluded({})
        self.assertEqual(self.lost(), [])

    def test_a_stopped_supervisor_takes_no_harm(self):
        self.held_study("supervisor", jobs=2)
        stopped = self.supervisors().values()
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        self.let_go()
        self.until_ends(2)
        time.sleep(STOPPED)
        self.assertEqual([r["state"] for r in self.lines("runs", self.only_id())].count("running"), 2)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        self.concluded({})
        self.assertEqual(self.lost(), [])

    def test_a_stopped_supervisor_is_adopted_and_waited_for(self):
        kernel = self.held_study("adopted")
        (supervisor,) = self.supervisors().values()
        os.kill(supervisor, signal.SIGSTOP)
        kernel.kill()
        kernel.wait()
        self.assertRegex(self.etude("show", self.only_id()).stdout, "1 was (starting|running) when the kernel stopped")
        self.let_go()
        second = self.begin("resume", "-j", 2)
        # All other runs end beside the one that nobody tells of.
        until(lambda: [r["state"] for r in self.lines("runs", self.only_id())].count("succeeded") == 5)
        self.until_ends(6)
        time.sleep(STOPPED)
        self.assertIsNone(second.poll())
        self.assertEqual([r["state"] for r in self.lines("runs", self.only_id()) if r["state"] != "succeeded"], ["running"])
        self.assertEqual(len(self.starts()), 6)
        os.kill(supervisor, signal.SIGCONT)
        self.concluded({"adopted": 1})
        self.assertEqual(self.lost(), [])

    def tear(self, how):
        log = self.home / "etude.db-wal"
        whole = log.read_bytes()
        log.write_bytes(how(whole))

    def test_a_log_whose_end_is_torn_opens_at_the_last_whole_commit(self):
        flipped = lambda log, at: log[:at] + bytes([log[at] ^ 0xff]) + log[at + 1:]
        ways = {
            "half a frame more": lambda log: log + log[-FRAME:-FRAME // 2],
            "one byte less": lambda log: log[:-1],
            "a frame less": lambda log: log[:-FRAME],
            "a page that is not the one that was written": lambda log: flipped(log, len(log) - 100),
            "a frame's head that is not": lambda log: flipped(log, len(log) - FRAME + 9),
        }
        for number, (name, how) in enumerate(ways.items()):
            with self.subTest(name):
                kernel = self.held_study(f"torn-{number}", jobs=2)
                until(lambda: [r["state"] for r in self.lines("runs", self.only_id())].count("running") == 2)
                kernel.kill()
                kernel.wait()
                before = self.json("verify")
                self.tear(how)
                after = self.json("verify")
                self.assertTrue(after["ok"], after)
                lost = before["events"] - after["events"]
                self.assertEqual(lost > 0, not name.endswith("more"), (before, after))
                self.concluded()

    def test_a_launch_that_the_log_has_lost_is_ended_before_its_run_starts_anew(self):
        kernel = self.held_study("stray", jobs=2)
        until(lambda: [r["state"] for r in self.lines("runs", self.only_id())].count("running") == 2)
        kernel.kill()
        kernel.wait()
        strays = self.jobs()
        # Back to where the study had not been opened.
        log = (self.home / "etude.db-wal").read_bytes()
        for kept in range((len(log) - 32) // FRAME, 0, -1):
            (self.home / "etude.db-wal").write_bytes(log[:32 + kept * FRAME])
            if not self.json("ls"):
                break
        self.assertEqual(self.json("ls"), [])
        self.assertTrue(strays)
        self.assertEqual(strays, self.jobs())
        second = self.begin("run", "study.yaml", "-j", "2")
        until(lambda: [r["state"] for r in self.lines("runs", "s1", code=None)].count("running") == 2)
        self.assertEqual(strays & set(self.carriers(0)), set())
        self.let_go()
        self.assertEqual(second.wait(timeout=PATIENCE), 0)
        study = self.json("show", self.only_id())
        self.assertEqual(self.outcome(study), self.expected)
        counts = self.ledger()
        # What the disk forgot has started twice, but never lived twice and ended once.
        self.assertEqual([key for key in counts if key[1] == "twice"], [])
        self.assertEqual({n for (_, word), n in counts.items() if word == "end"}, {1})
        self.check_nothing_left(study)


if __name__ == "__main__":
    unittest.main()
