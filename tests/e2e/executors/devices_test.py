"""Devices whose memory outlives their run: nobody gets them before it is free, whichever kernel is there."""
import ctypes
import os
import select
import signal
import subprocess
import unittest

from harness import ETUDE, PATIENCE, EtudeTest, until

FREE = "uuid=GPU-a total=80000000000 used=3 pids=\n"
HELD = "uuid=GPU-a total=80000000000 used=70000000000 pids=\n"
# Memory is in use from the first job on; the driver takes its time to give it back.
JOB = '''
import json, os, sys
open(os.environ["FAKE"] + ".new", "w").write(os.environ["HELD"] + "\\n")
os.rename(os.environ["FAKE"] + ".new", os.environ["FAKE"])
open(os.environ["ETUDE_METRICS"], "a").write(json.dumps({"name": "cost", "value": len(sys.argv[1])}) + "\\n")
'''
STUDY = '''
etude: 1
title: Taking turns
question: Who comes after whom?
run: python3 -S job.py {arm} {seed}
environment: {set: {FAKE: PLACE, HELD: "TEXT"}}
factors:
  arm: {levels: [a, bb], baseline: a}
metrics:
  cost: {primary: true}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 10m, gpus: 1, sandbox: none}
'''


class Devices(EtudeTest):
    def setUp(self):
        super().setUp()
        self.fake = self.tmp / "driver"
        os.environ.update(ETUDE_NVML=str(ETUDE.parent / "nvml_fake.so"), NVML_FAKE=str(self.fake))
        for name in ("ETUDE_NVML", "NVML_FAKE"):
            self.addCleanup(os.environ.pop, name)

    def driver_says(self, text):
        (self.tmp / "new").write_text(text)
        (self.tmp / "new").rename(self.fake)

    def until_driver_is_asked(self):
        """Waits until somebody has read what the driver says."""
        libc = ctypes.CDLL(None, use_errno=True)
        events = libc.inotify_init()
        IN_CLOSE_NOWRITE = 0x10
        self.assertGreater(libc.inotify_add_watch(events, os.fsencode(self.fake), IN_CLOSE_NOWRITE), 0)
        heard = select.select([events], [], [], PATIENCE)[0]
        os.close(events)
        self.assertTrue(heard, "nobody asked the driver")

    def states(self):
        return [run["state"] for run in self.lines("runs", "s1")]

    def notes(self):
        return list(self.home.glob("runs/s1/devices-*"))

    def begin(self, *args):
        return subprocess.Popen(self.command(*args), cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_the_next_kernel_waits_for_them_too(self):
        self.driver_says(FREE)
        self.study(STUDY.replace("PLACE", str(self.fake)).replace("TEXT", HELD.strip()), JOB)
        kernel = self.begin("run", "study.yaml")
        until(lambda: self.notes())
        until(lambda: "succeeded" in self.states())
        self.assertEqual(len(self.notes()), 1)
        kernel.send_signal(signal.SIGKILL)
        kernel.wait()
        resumed = self.begin("resume")
        until(lambda: self.json("ls")[0]["state"] == "running")
        # It looks at them again and again, and starts nothing.
        for _ in range(3):
            self.until_driver_is_asked()
        self.assertEqual(sorted(self.states()), ["queued"] * 3 + ["succeeded"])
        self.assertEqual(len(self.notes()), 1)
        # Each run takes it up again, and gives it back only when we say so.
        for ended in (2, 3, 4):
            self.driver_says(FREE)
            until(lambda: self.states().count("succeeded") >= ended)
        self.driver_says(FREE)
        self.assertEqual(resumed.wait(PATIENCE), 0)
        self.assertEqual(self.json("show", "s1")["outcome"], "concluded")

    def test_out_of_memory_is_an_end_of_its_own_with_the_line_and_what_to_do(self):
        self.driver_says(FREE)
        said = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.11 GiB"
        self.study(STUDY.replace("PLACE", str(self.fake)).replace("TEXT", FREE.strip()),
                   JOB + f"\nif sys.argv[1] == 'bb': sys.exit({said!r})\n")
        self.run_study()
        ends = {run["state"]: (run.get("out_of_memory"), run["reason"]) for run in self.lines("runs", "s1")}
        self.assertIsNone(ends["succeeded"][0])
        self.assertEqual(ends["failed"][0], "gpu")
        self.assertIn(f"exit status 1: its GPU had no memory left (`{said}`): use a smaller batch", ends["failed"][1])

    def test_two_runs_share_a_device_and_count_as_half(self):
        self.driver_says(FREE)
        both = JOB + "\nimport time, pathlib\nhere = pathlib.Path(os.environ['MEET']) / (sys.argv[1] + sys.argv[2])\n" \
            "here.touch()\nwhile len(list(here.parent.iterdir())) < 2: time.sleep(0.05)\n" \
            "print(os.environ['ETUDE_GPU_SHARE'], os.environ['ETUDE_GPU_MEMORY'])\n"
        meet = self.tmp / "meet"
        meet.mkdir()
        text = STUDY.replace("PLACE", str(self.fake)).replace("TEXT", FREE.strip()).replace("gpus: 1", "gpus: 0.5")
        self.study(text.replace("environment: {set: {", f"environment: {{set: {{MEET: {meet}, "), both)
        # The first two wait for each other, so they end only if they run on the device at the same time.
        ended = self.lines("run", "study.yaml", "-j", "2")[-1]
        self.assertEqual((ended["outcome"], ended["runs"]["succeeded"]), ("concluded", 4), ended)
        runs = self.lines("runs", "s1")
        self.assertEqual({(tuple(run["lease"]["gpus"]), run["lease"]["gpu_share"]) for run in runs}, {(("GPU-a",), 0.5)})
        self.assertEqual(self.etude("run-log", "s1-r1").stdout.strip(), "0.5 40000000000")
        seconds = sum(run["usage"]["wall_s"] for run in runs)
        self.assertAlmostEqual(ended["ledger"]["gpu_hours"]["spent"], seconds / 2 / 3600, places=7)

    def test_a_device_that_nobody_frees_pauses_the_study_and_is_named(self):
        self.driver_says(FREE)
        holder = subprocess.Popen(["sleep", "3600"])
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        held = HELD.strip() + f"{holder.pid}:70000000000"
        self.study(STUDY.replace("PLACE", str(self.fake)).replace("TEXT", held), JOB)
        os.environ["ETUDE_GPU_WAIT"] = "1"
        self.addCleanup(os.environ.pop, "ETUDE_GPU_WAIT")
        stopped = self.run_study(code=3)
        self.assertEqual((stopped["state"], stopped["reason"]), ("paused", "devices"), stopped)
        self.assertRegex(stopped["detail"], rf"GPU GPU-a is not free .*: process {holder.pid} \(sleep, user .*\) holds 70 GB, ")
        self.assertEqual(sorted(self.states()), ["queued"] * 3 + ["succeeded"])

    def test_no_run_starts_whose_time_limit_is_more_than_the_hours_that_are_left(self):
        self.driver_says(FREE)
        text = STUDY.replace("PLACE", str(self.fake)).replace("TEXT", FREE.strip())
        self.study(text + "budget: {gpu_hours: 0.1}\n", JOB)
        stopped = self.run_study(code=4)
        self.assertEqual((stopped["state"], stopped["runs"]["total"] - stopped["runs"]["queued"]), ("paused", 0), stopped)
        self.assertIn("gpu_hours: 0 of 0.1 spent or reserved, and the next run may take 0.1675", stopped["detail"])
        # Room for one run at a time: each gives back what it did not use.
        ended = self.lines("resume", "s1", "--budget", "gpu_hours=0.2")[-1]
        self.assertEqual((ended["outcome"], ended["runs"]["succeeded"]), ("concluded", 4), ended)
        self.assertLess(ended["ledger"]["gpu_hours"]["spent"], 0.02)


if __name__ == "__main__":
    unittest.main()
