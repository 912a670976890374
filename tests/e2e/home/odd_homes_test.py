"""Homes that may not be written, have moved, or lived through a restart of the machine."""
import os
import re
import signal
import subprocess

import mounts
from harness import until
from witness import WitnessTest


class OddHomes(WitnessTest):
    expected = None

    def setUp(self):
        super().setUp()
        self.mounted = []
        if not OddHomes.expected:
            self.place("undisturbed")
            OddHomes.expected = self.outcome(self.run_study("-j", "2"))

    def tearDown(self):
        (self.seen / "hold").unlink(missing_ok=True)
        left = self.carriers()
        for mounted in self.mounted:
            subprocess.run(["umount", "-l", mounted], check=True)
        super().tearDown()
        self.assertEqual(left, [])

    def write_protect(self, folder):
        subprocess.run(["mount", "--bind", folder, folder], check=True)
        self.mounted.append(folder)
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)

    def crashed(self, name, signals=()):
        """A study whose kernel was killed while two jobs ran; `signals` go to everything else that is left of it."""
        self.place(name)
        (self.seen / "hold").touch()
        kernel = subprocess.Popen(self.command("run", "study.yaml", "-j", "2"), cwd=self.dir,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: sum(word == "start" for _, word in self.ledger()) == 2)
        kernel.kill()
        kernel.wait()
        while signals and self.carriers(0):
            for pid in self.carriers(0):
                for number in signals:
                    try:
                        os.kill(pid, number)
                    except ProcessLookupError:
                        pass

    def one_line(self, *args, code=3):
        """The one error that it ends with."""
        said = self.etude(*args, code=code).stderr.strip().splitlines()
        errors = [line for line in said if not line.startswith("warning: ")]
        self.assertEqual(len(errors), 1, said)
        return errors[0]

    def everything(self):
        return {path: path.stat().st_mtime_ns for path in self.home.rglob("*") if not path.is_dir()}

    def check_read_only(self, state):
        self.assertEqual(self.json("show", "s1")["state"], state)
        self.assertTrue(self.json("verify")["ok"])
        for verb in (("ls",), ("log", "s1"), ("graph", "s1"), ("runs", "s1"), ("gates",), ("gc",)):
            self.etude(*verb)
        for verb in (("run", "study.yaml"), ("gc", "--delete")):
            self.assertRegex(self.one_line(*verb), "Read-only file system|read-only")
        if state == "running":
            for verb in (("resume",), ("steer", "s1", "a hint"), ("pause", "s1"), ("cancel", "s1")):
                self.assertRegex(self.one_line(*verb), "Read-only file system|read-only")

    def test_a_read_only_home_can_be_read_and_says_no_to_whoever_would_write(self):
        self.place("read-only")
        self.run_study("-j", "2")
        before = self.everything()
        self.write_protect(self.home)
        self.check_read_only("ended")
        self.assertEqual(self.everything(), before)

    def test_a_home_that_a_crash_left_read_only_can_be_read_and_goes_on_when_it_may_be_written(self):
        self.crashed("read-only-crashed", (signal.SIGKILL,))
        self.write_protect(self.home)
        self.check_read_only("running")
        subprocess.run(["umount", self.mounted.pop()], check=True)
        (self.seen / "hold").unlink()
        self.etude("resume")
        self.check_whole(self.expected)

    def test_a_home_that_moved_after_everything_in_it_died_goes_on(self):
        self.crashed("moved", (signal.SIGKILL,))
        moved = self.dir / "elsewhere" / "home"
        moved.parent.mkdir()
        self.home.rename(moved)
        self.home = moved
        (self.seen / "hold").unlink()
        self.etude("resume")
        self.assertEqual(dict(self.check_whole(self.expected)), {"lost": 2})

    def test_what_ran_while_its_home_moved_is_lost_and_runs_again(self):
        self.crashed("moved-alive")
        moved = self.dir / "elsewhere" / "home"
        moved.parent.mkdir()
        self.home.rename(moved)
        self.home = moved
        (self.seen / "hold").unlink()
        self.etude("resume")
        study = self.json("show", "s1")
        self.assertEqual(self.outcome(study), self.expected)
        lost = [run for run in self.lines("runs", "s1") if run["state"] == "lost"]
        self.assertEqual({run["reason"] for run in lost}, {"its folder was moved while it ran"})
        self.check_nothing_left(study)

    def test_after_a_restart_of_the_machine_what_ran_is_lost_and_no_pid_is_trusted(self):
        self.crashed("restarted", (signal.SIGKILL,))
        (self.seen / "hold").unlink()
        # Today the number belongs to somebody else, who started at the same tick.
        bystander = subprocess.Popen(["sleep", "1000"])
        try:
            with open(f"/proc/{bystander.pid}/stat") as stat:
                start = stat.read().rsplit(")", 1)[1].split()[19]
            claims = list((self.home / "runs").glob("*/*/claim"))
            self.assertEqual(len(claims), 2)
            for claim in claims:
                text = claim.read_text()
                for key, value in (("pid", bystander.pid), ("start", start), ("boot", "an-earlier-one")):
                    text, found = re.subn(f"(?m)^{key}=.*$", f"{key}={value}", text)
                    self.assertEqual(found, 1)
                claim.write_text(text)
            self.etude("resume")
            self.assertIsNone(bystander.poll())
        finally:
            bystander.kill()
            bystander.wait()
        self.assertEqual(dict(self.check_whole(self.expected)), {"lost": 2})
        lost = [run for run in self.lines("runs", "s1") if run["state"] == "lost"]
        self.assertEqual({run["reason"] for run in lost}, {"the machine was restarted before its end was recorded"})


if __name__ == "__main__":
    mounts.main("odd homes")
