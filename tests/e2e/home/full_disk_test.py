"""A home, or an artifact's folder, on a disk that fills up: the study waits for room, and nothing of it counts as failed."""
import os
import subprocess

import mounts
from harness import PATIENCE, until
from witness import WITNESS_STUDY, WitnessTest

MEGABYTE = 1 << 20
# A training leaves three megabytes for its evaluation.
STAGES = WITNESS_STUDY.replace("run: python3 -S job.py {arm} {seed} FOLDER\n", '''
stages:
  train: {run: "python3 -S job.py {arm} {seed} FOLDER", factors: [arm], outputs: {model: model.bin}}
  eval: {needs: train, run: "cp {train.model} copy.bin && tail -n 1 copy.bin >> $ETUDE_METRICS", factors: []}
''')
TRAINING = ("say(\"end\")", '''
with open("model.bin", "wb") as out:
    out.write(b"x" * (3 << 20) + b"\\n" + f'{{"name": "cost", "value": {value}}}\\n'.encode())
say("end")''')


class FullDisk(WitnessTest):
    expected = None

    def setUp(self):
        super().setUp()
        self.disks = []
        self.kernels = []
        if not FullDisk.expected:
            self.place("undisturbed")
            FullDisk.expected = self.outcome(self.run_study("-j", "2"))

    def tearDown(self):
        for kernel in self.kernels:
            if kernel.poll() is None:
                kernel.kill()
            kernel.communicate()
        (self.seen / "hold").unlink(missing_ok=True)
        left = self.carriers()
        for disk in self.disks:
            subprocess.run(["umount", "-l", disk], check=True)
        super().tearDown()
        self.assertEqual(left, [])

    def disk(self, path, megabytes=40):
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", path], check=True)
        self.disks.append(path)
        return path

    def small_home(self, name):
        self.place(name)
        self.disk(self.home)

    @staticmethod
    def fill(folder, leave=0):
        """Until nothing more fits but the bytes to leave; the file that takes the room."""
        hog = folder / "hog"
        with open(hog, "ab", buffering=0) as out:
            for size in (MEGABYTE, 4096):
                while os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize >= leave + size:
                    out.write(b"x" * size)
        return hog

    def begin(self, *args):
        self.kernels.append(subprocess.Popen(self.command(*args), cwd=self.dir, stdin=subprocess.DEVNULL, text=True,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return self.kernels[-1]

    def held(self):
        """A kernel at work whose first jobs wait."""
        (self.seen / "hold").touch()
        kernel = self.begin("run", "study.yaml", "-j", "2")
        until(lambda: sum(word == "start" for _, word in self.ledger()) == 2)
        return kernel

    def ended(self, kernel, code=3):
        out, errors = kernel.communicate(timeout=PATIENCE)
        self.assertEqual(kernel.returncode, code, out + errors)
        return out, errors

    def check_paused(self):
        """It waits for room, and can be looked at."""
        study = self.json("show", "s1")
        self.assertEqual((study["state"], study["reason"]), ("paused", "disk"), study)
        self.assertTrue(study["detail"])
        self.assertTrue(self.json("verify")["ok"])
        self.assertEqual({r["state"] for r in self.lines("runs", "s1")} & {"failed", "timed_out", "invalid"}, set())
        for verb in (("ls",), ("graph", "s1"), ("log", "s1")):
            self.etude(*verb)

    def check_goes_on(self):
        self.etude("resume")
        study = self.json("show", "s1")
        self.assertEqual(self.outcome(study), self.expected)
        self.assertEqual(study["runs"]["failed"], 0)
        counts = self.ledger()
        self.assertEqual({key: n for key, n in counts.items() if n > 1 or key[1] == "twice"}, {})
        self.check_nothing_left(study)

    def test_the_disk_fills_while_jobs_run_and_the_study_waits_for_room(self):
        for left in (0, 100_000, 300_000, 600_000):
            with self.subTest(left=left):
                self.small_home(f"filled-{left}")
                kernel = self.held()
                hog = self.fill(self.home, left)
                (self.seen / "hold").unlink()
                out, errors = self.ended(kernel)
                self.assertRegex(out + errors, "full|No space left")
                self.assertIn("make room", out + errors)
                self.check_paused()
                # Resumed without room, it is paused again.
                self.etude("resume", code=3)
                self.check_paused()
                hog.unlink()
                self.check_goes_on()

    def test_a_kernel_that_serves_goes_on_by_itself_once_there_is_room(self):
        self.small_home("served")
        kernel = self.begin("serve", "--port", "0", "--json")
        kernel.stdout.readline()
        (self.seen / "hold").touch()
        client = self.begin("run", "study.yaml", "-j", "2")
        until(lambda: sum(word == "start" for _, word in self.ledger()) == 2)
        hog = self.fill(self.home)
        (self.seen / "hold").unlink()
        self.ended(client)
        self.check_paused()
        study = self.json("show", "s1")
        self.assertEqual([(one["on"], one["why"]) for one in study["waiting"]], [("disk", study["detail"])])
        # Its reserve is gone only if the pause itself had no room.
        hog.unlink()
        until(lambda: self.json("show", "s1")["state"] == "ended")
        study = self.json("show", "s1")
        self.assertEqual((self.outcome(study), study["runs"]["failed"]), (self.expected, 0))
        self.assertNotIn("waiting", study)
        self.assertTrue((self.home / "ballast").exists())
        kernel.terminate()
        self.ended(kernel, 130)

    def test_a_job_that_fails_because_the_disk_is_full_is_run_again(self):
        self.small_home("hungry")
        # The first one writes until nothing more fits, and fails.
        job = self.dir / "job.py"
        job.write_text(job.read_text().replace('say("start")', '''say("start")
if not os.path.exists(folder + "/full"):
    open(folder + "/full", "w").close()
    hungry = open("crumbs", "wb", buffering=0)
    while hungry.write(b"x" * 4096) == 4096: pass
    sys.exit("nothing more fits")
'''))
        self.ended(self.begin("run", "study.yaml", "-j", "1"))
        self.check_paused()
        first = self.lines("runs", "s1")[0]
        self.assertEqual((first["state"], first["evidence"]), ("lost", False))
        self.assertIn("full", first["reason"])
        self.check_goes_on()
        again = next(run for run in self.lines("runs", "s1") if run["retry_of"] == first["id"])
        self.assertEqual((again["seed"], again["state"]), (first["seed"], "succeeded"))

    def test_a_disk_without_room_for_what_a_training_leaves_costs_no_training_twice(self):
        def place(name):
            self.place(name, study=STAGES)
            job = self.dir / "job.py"
            job.write_text(job.read_text().replace(*TRAINING))

        place("stages-undisturbed")
        expected = self.outcome(self.run_study("-j", "2"))
        for left in (MEGABYTE, 4 * MEGABYTE, 7 * MEGABYTE):
            with self.subTest(left=left):
                place(f"stages-{left}")
                self.disk(self.home, 60)
                kernel = self.held()
                hog = self.fill(self.home, left)
                (self.seen / "hold").unlink()
                out, errors = self.ended(kernel)
                self.assertIn("make room", out + errors)
                self.check_paused()
                hog.unlink()
                self.etude("resume")
                study = self.json("show", "s1")
                self.assertEqual(self.outcome(study), expected)
                runs = self.lines("runs", "s1")
                # What was trained before the disk was full is used; a lost attempt is another's first.
                trained = [r for r in runs if r["stage"] == "train" and r["state"] == "succeeded"]
                self.assertEqual(len(trained), len({(r["seed"], r["factors"]["arm"]) for r in trained}))
                self.assertEqual({r["state"] for r in runs} - {"succeeded", "lost"}, set())
                self.check_nothing_left(study)

    def test_a_disk_that_is_full_from_the_start_starts_nothing(self):
        self.small_home("full")
        hog = self.fill(self.home)
        refused = self.etude("run", "study.yaml", code=3)
        self.assertEqual(len(refused.stderr.strip().splitlines()), 1, refused.stderr)
        self.assertRegex(refused.stderr, "full|No space left|room")
        self.assertEqual(self.ledger(), {})
        hog.unlink()
        self.assertEqual(self.outcome(self.run_study("-j", "2")), self.expected)

    def test_where_not_even_the_pause_can_be_said_resume_still_works(self):
        self.small_home("no-ballast")
        kernel = self.held()
        (self.home / "ballast").unlink()
        hog = self.fill(self.home)
        (self.seen / "hold").unlink()
        out, errors = self.ended(kernel)
        # A log that was written to before has room that it uses again: now and then the pause still fits.
        study = self.json("show", "s1")
        self.assertIn((study["state"], study.get("reason")), {("running", None), ("paused", "disk")})
        self.assertRegex(out if study["state"] == "paused" else errors, "make room|disk of the run folder is full")
        # After a pause that fits, what is written next may not.
        self.assertIn(len(errors.strip().splitlines()), (0, 1) if study["state"] == "paused" else (1,), errors)
        self.etude("resume", code=3)
        hog.unlink()
        self.check_goes_on()

    def test_the_disk_of_the_artifact_is_full_and_the_old_artifact_stays(self):
        self.place("artifact")
        out = self.disk(self.tmp / "out")  # Not in the study folder, which is frozen with all that is in it.
        self.etude("run", "study.yaml", "-o", out / "ara")
        old = (out / "ara/etude.json").read_bytes()
        hog = self.fill(out, 200_000)
        second = self.etude("run", "study.yaml", "-o", out / "ara", code=3)
        self.assertIn("No space left", second.stdout + second.stderr)
        study = self.json("show", "s2")
        self.assertEqual((study["state"], study["reason"]), ("paused", "disk"))
        self.assertEqual((out / "ara/etude.json").read_bytes(), old)
        self.assertEqual([p.name for p in out.iterdir() if p.name.startswith(".")], [])
        self.assertTrue(self.json("check", out / "ara", "--strict")["ok"])
        # Elsewhere there is room; and here, once somebody has made some.
        self.etude("artifact", "s2", "-o", self.dir / "elsewhere")
        self.assertTrue(self.json("check", self.dir / "elsewhere", "--strict")["ok"])
        self.etude("artifact", "s2", "-o", out / "another", code=3)
        hog.unlink()
        self.etude("resume")
        study = self.json("show", "s2")
        self.assertEqual((study["outcome"], study["artifact"]), ("concluded", str(out / "ara")))
        self.assertNotEqual((out / "ara/etude.json").read_bytes(), old)
        self.assertTrue(self.json("check", out / "ara", "--strict")["ok"])


if __name__ == "__main__":
    mounts.main("full disks")
