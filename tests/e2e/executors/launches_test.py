"""Launches that never happened, attempts that share a checkpoint, and what is left of either."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

import harness
from harness import JOB, PATIENCE, STUDY, EtudeTest, until, verdicts


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
        self.study(STUDY.replace("timeout: 10m", "timeout: 10m, sandbox: none"))
        self.etude("run", "study.yaml", "-j", "2", code=-9)
        self.etude("resume", code=-9)
        put_back()
        study = self.lines("resume")[-1]
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        self.assertEqual(study["runs"]["succeeded"], study["runs"]["total"])
        self.assertTrue(self.json("verify")["ok"])
        self.assertEqual(self.folders(), ["runs/s1"])

    RETRYING = JOB.replace("import os, sys", """import os, sys
saved = os.path.join(os.environ["ETUDE_CHECKPOINT"], "state")
attempt = os.environ["ETUDE_ATTEMPT"]
if os.path.exists(saved) != (attempt != "1"):
    sys.exit("attempt " + attempt + " finds " + str(os.listdir(os.environ["ETUDE_CHECKPOINT"])))
if attempt == "1":
    open(saved, "w").write(os.environ["ETUDE_SEED"])
    sys.exit(75)
assert open(saved).read() == os.environ["ETUDE_SEED"]
""")

    def test_a_checkpoint_survives_from_one_attempt_to_the_next_and_no_longer(self):
        for number, sandbox in enumerate(("auto", "none"), 1):
            self.study(STUDY.replace("timeout: 10m", f"timeout: 10m, sandbox: {sandbox}")
                       .replace("min: 6, max: 6", "min: 2, max: 2") + "retries: allowed\n", self.RETRYING)
            study = self.run_study("-j", "2")
            runs = self.lines("runs", study["id"])
            self.assertEqual({r["state"] for r in runs if r["attempt"] == 2}, {"succeeded"}, runs)
            self.assertEqual({r["attempt"] for r in runs}, {1, 2})
            self.assertEqual(self.folders(), [f"runs/s{number}"])

    def test_a_checkpoint_is_still_there_when_a_killed_kernel_comes_back(self):
        # The kernel dies with the second attempt of the first run.
        put_back = self.with_supervisor(f"""#!/bin/sh
if [ "$1" = --resident ]; then exit 1; fi
if grep -qa ETUDE_ATTEMPT=2 "$1/job"; then kill -9 $PPID; exit; fi
exec {harness.ETUDE.parent}/etude-supervisor "$@"
""")
        self.study(STUDY.replace("min: 6, max: 6", "min: 2, max: 2").replace("timeout: 10m", "timeout: 10m, sandbox: none")
                   + "retries: allowed\n", self.RETRYING)
        self.etude("run", "study.yaml", "-j", "1", code=-9)
        first = next(launch for launch, run in self.run_of_launch().items() if run == "s1-r1")
        self.assertIn(f"runs/s1/checkpoint-{first}/state", self.folders())
        put_back()
        study = self.lines("resume")[-1]
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual({r["state"] for r in self.lines("runs", "s1") if r["attempt"] == 2}, {"succeeded"})
        self.assertEqual(self.folders(), ["runs/s1"])

    WAITING = """
import os, sys, time
print("up", flush=True)
time.sleep(600)
"""

    def test_the_log_of_a_run_can_be_read_while_it_runs(self):
        self.study(STUDY, self.WAITING)
        kernel = subprocess.Popen(self.command("run", "study.yaml"), cwd=self.dir, stdout=subprocess.DEVNULL)
        until(lambda: self.etude("run-log", "s1-r1", code=None).stdout)
        until(lambda: self.lines("runs", "s1")[0]["state"] == "running")
        log = self.etude("run-log", "s1-r1").stdout
        still = self.lines("runs", "s1")[0]["state"]
        self.etude("cancel", "s1")
        self.assertEqual(kernel.wait(PATIENCE), 130)
        self.assertEqual((log.strip(), still), ("up", "running"))

    def trying(self):
        """`etude try` of a job that waits, once it does."""
        self.study(STUDY.replace("{seed}", f"{{seed}} {self.tmp}/mark"), self.WAITING)
        trying = subprocess.Popen(self.command("try", "study.yaml"), cwd=self.dir, stdout=subprocess.PIPE, text=True)
        self.addCleanup(trying.stdout.close)
        self.assertEqual(trying.stdout.readline().strip(), "up")
        return trying

    def jobs(self):
        """The processes of our jobs that are still there."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                command = pathlib.Path("/proc", pid, "cmdline").read_bytes()
            except OSError:
                continue
            if f"{self.tmp}/mark".encode() in command:
                found.append(int(pid))
        return found

    def tries(self):
        return list((self.home / "try").iterdir())

    def test_a_try_that_is_interrupted_takes_its_job_and_its_folder_along(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            trying = self.trying()
            self.assertNotEqual(self.jobs(), [])
            trying.send_signal(how)
            self.assertEqual(trying.wait(timeout=PATIENCE), 130)
            self.assertEqual(self.jobs(), [])
            self.assertEqual(self.tries(), [])

    def leave_things(self):
        (self.home / "blobs/tmp").mkdir(parents=True, exist_ok=True)
        (self.home / "blobs/tmp/1-1").write_text("half a blo")
        draft = self.home / "workspaces" / ("ab" * 32 + ".Xy12Zw")
        draft.mkdir(parents=True, exist_ok=True)
        (draft / "job.py").write_text("half a wor")
        (self.home / "try/abandoned/run").mkdir(parents=True, exist_ok=True)
        return [self.home / "blobs/tmp/1-1", draft, self.home / "try/abandoned"]

    def run_small(self):
        self.study(STUDY.replace("min: 6, max: 6", "min: 2, max: 2"))
        self.assertEqual(self.run_study()["outcome"], "concluded")

    def test_what_killed_processes_left_half_made_goes_when_a_kernel_starts(self):
        self.run_small()
        left = self.leave_things()
        self.run_small()
        self.assertEqual([path for path in left if path.exists()], [])
        self.assertTrue(self.json("verify")["ok"])

    def test_nothing_is_removed_under_the_hands_of_a_try(self):
        trying = self.trying()
        left = self.leave_things()
        self.run_small()
        self.assertEqual([path for path in left if not path.exists()], [])
        # Killed: its job goes on, and its folder stays until that has ended.
        trying.kill()
        trying.wait()
        self.run_small()
        self.assertEqual([path for path in left if path.exists()], [])
        self.assertEqual(len(self.tries()), 1)
        for pid in self.jobs():
            # One takes the others of its tree along.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(lambda: self.etude("resume", code=None) and not self.tries())


if __name__ == "__main__":
    unittest.main()
