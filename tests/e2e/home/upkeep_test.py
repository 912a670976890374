"""A home is backed up while it works, restored, and rid of what nothing needs."""
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import time
import unittest

from harness import ETUDE, JOB, PATIENCE, STUDY, EtudeTest, until, verdicts

# Does not end before it has found a ticket of its own, or all may end.
TICKET_JOB = JOB + '''
import time
tickets = TICKETS
def admitted():
    for name in os.listdir(tickets):
        if name == "all":
            return True
        try:
            os.unlink(tickets + "/" + name)
            return True
        except FileNotFoundError:
            pass
while not admitted():
    time.sleep(0.02)
'''


class Upkeep(EtudeTest):
    def everything(self):
        """Every path of the home but SQLite's own files beside the store."""
        return sorted(str(p) for p in self.home.rglob("*") if not p.name.startswith("etude.db-"))

    def in_home(self, home, *args, code=0):
        done = subprocess.run([str(ETUDE), "--home", str(home), *map(str, args)], capture_output=True, text=True,
                              timeout=PATIENCE, cwd=self.dir)
        self.assertEqual(done.returncode, code, f"{args}\n{done.stdout}\n{done.stderr}")
        return done

    def restored(self, file, name="restored"):
        home = self.tmp / name
        home.mkdir()
        subprocess.run(["tar", "-xf", file, "-C", home], check=True)
        return home

    def ticket_study(self):
        """A study whose jobs end as `admit` says, and no sooner."""
        self.tickets = self.tmp / "tickets"
        self.tickets.mkdir()
        self.study(STUDY.replace("timeout: 10m", "timeout: 20m, sandbox: none"),
                   TICKET_JOB.replace("TICKETS", repr(str(self.tickets))))

    def admit(self, *names):
        for name in names:
            (self.tickets / name).touch()

    def background(self, *args):
        return subprocess.Popen(self.command(*args), cwd=self.dir, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def blob_path(self, sha256):
        return self.home / "blobs" / sha256[:2] / sha256[2:]

    def orphan(self, text):
        """A blob that nothing names."""
        path = self.blob_path(hashlib.sha256(text).hexdigest())
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        return path

    def some_log(self):
        """A blob that an event names: what the first run printed."""
        text = self.etude("run-log", "s1-r1").stdout.encode()
        return self.blob_path(hashlib.sha256(text).hexdigest())


class Backup(Upkeep):
    def test_a_restored_home_is_whole_and_answers_as_the_first_did(self):
        self.study()
        study = self.run_study()
        file = self.tmp / "home.tar"
        made = self.json("backup", file)
        self.assertEqual(made["file"], str(file))
        self.assertEqual(made["bytes"], file.stat().st_size)
        self.assertGreater(made["blobs"], 10)
        home = self.restored(file)
        report = json.loads(self.in_home(home, "verify", "--json").stdout)
        self.assertEqual(report, self.json("verify"))
        self.assertEqual((report["ok"], report["events"], report["blobs"]), (True, made["events"], made["blobs"]))
        self.assertEqual(json.loads(self.in_home(home, "show", "s1", "--json").stdout), self.json("show", "s1"))
        self.assertEqual(self.in_home(home, "run-log", "s1-r3").stdout, self.etude("run-log", "s1-r3").stdout)
        again = json.loads(self.in_home(home, "artifact", "s1", "-o", self.dir / "again", "--json").stdout)
        self.assertEqual(again["head"], study["head"])
        self.assertTrue(self.json("check", self.dir / "again", "--strict")["ok"])
        for path in [home / "etude.db", *home.rglob("blobs/*/*")]:
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_a_backup_taken_in_the_middle_of_a_study_can_be_resumed(self):
        self.ticket_study()
        running = self.background("run", "study.yaml", "-j", "2")
        files = []
        for ended in (0, 3, 6, 9):
            until(lambda: (self.home / "etude.db").exists() and self.json("ls") and
                  self.json("show", "s1")["ledger"]["runs"]["spent"] == ended and
                  "running" in {run["state"] for run in self.lines("runs", "s1")})
            files.append(self.tmp / f"{ended}.tar")
            self.etude("backup", files[-1])
            self.admit(*(f"{ended}-{i}" for i in range(3)))
        self.admit("all")
        self.assertEqual(running.wait(PATIENCE), 0)
        ended_first = []
        for number, file in enumerate(files):
            home = self.restored(file, f"restored-{number}")
            self.assertTrue(json.loads(self.in_home(home, "verify", "--json").stdout)["ok"])
            ended_first.append(json.loads(self.in_home(home, "show", "s1", "--json").stdout)["ledger"]["runs"]["spent"])
        self.assertEqual(ended_first, [0, 3, 6, 9])
        self.assertLess(ended_first[-1], self.json("show", "s1")["ledger"]["runs"]["spent"])
        home = self.tmp / "restored-1"
        shutil.rmtree(self.dir / "study-ara")
        done = self.in_home(home, "resume", "--json")
        study = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual(verdicts(study), verdicts(self.json("show", "s1")))
        self.assertTrue(json.loads(self.in_home(home, "verify", "--json").stdout)["ok"])

    def test_an_existing_file_is_refused_unless_forced(self):
        self.study()
        self.run_study()
        file = self.tmp / "home.tar"
        file.write_text("years of work")
        refused = self.etude("backup", file, code=2)
        self.assertIn("exists already", refused.stderr)
        self.assertEqual(file.read_text(), "years of work")
        self.etude("backup", file, "--force")
        self.assertTrue(tarfile.is_tarfile(file))
        for place, why in ((self.tmp, "is a folder"), (self.tmp / "no/such/file.tar", "there is no folder")):
            self.assertIn(why, self.etude("backup", place, "--force", code=2).stderr)
        self.assertEqual([p.name for p in self.tmp.iterdir() if p.name.startswith(".")], [])

    def test_a_home_without_a_store_has_nothing_to_back_up_and_is_not_made(self):
        refused = self.etude("backup", self.tmp / "home.tar", code=2)
        self.assertIn("there is no store here", refused.stderr)
        self.assertFalse(self.home.exists())
        self.assertFalse((self.tmp / "home.tar").exists())

    def test_a_blob_that_is_missing_or_damaged_is_named_and_nothing_is_left(self):
        self.study()
        self.run_study()
        blob = self.some_log()
        good = blob.read_bytes()
        os.chmod(blob, 0o600)
        for bad in (good.replace(b"arm", b"ARM"), good[:-1], good + b"x", None):
            if bad is None:
                blob.unlink()
            else:
                blob.write_bytes(bad)
            refused = self.etude("backup", self.tmp / "home.tar", code=3)
            self.assertIn(str(blob), refused.stderr)
            self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), ["home", "study"])
        blob.write_bytes(good)
        self.etude("backup", self.tmp / "home.tar")

    def test_what_a_killed_backup_left_goes_with_the_next_and_nothing_else_does(self):
        self.study()
        self.run_study()
        file, folder = self.tmp / "home.tar", self.tmp / "there"
        folder.mkdir()
        # As a kill leaves it, one that is still at work, and somebody's own.
        for name in (".home.tar.aB3xYz", ".home.tar.atWork", ".home.tar.mine00", ".other.tar.aB3xYz"):
            (folder / name).mkdir()
            (folder / name / "etude.db").write_text("half")
            (folder / name / "tar").write_text("half")
        (folder / ".home.tar.mine00" / "letter").write_text("dear")
        lock = os.open(folder / ".home.tar.atWork", os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.etude("backup", folder / "home.tar")
        os.close(lock)
        self.assertEqual(sorted(p.name for p in folder.iterdir()),
                         [".home.tar.atWork", ".home.tar.mine00", ".other.tar.aB3xYz", "home.tar"])
        # A real kill, whenever it strikes.
        for wait in (0.0, 0.005, 0.01, 0.02, 0.04):
            backup = self.background("backup", "--force", file)
            time.sleep(wait)
            backup.kill()
            backup.wait()
        self.etude("backup", "--force", file)
        self.assertEqual([p.name for p in self.tmp.iterdir() if p.name.startswith(".")], [])

    def test_a_full_disk_leaves_nothing(self):
        self.study()
        self.run_study()
        small = self.tmp / "small"
        small.mkdir()
        # Room for the store's copy, but not for the archive; a file size limit stands for a full disk elsewhere.
        size = (self.home / "etude.db").stat().st_size
        script = f"mount -t tmpfs -o size={size * 3 // 2} none {small} && \"$@\"; code=$?; ls -A {small}; exit $code"
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh",
                               *self.command("backup", small / "home.tar")], capture_output=True, text=True)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(done.stdout, "")


class Gc(Upkeep):
    @staticmethod
    def waits_for_a_lock(pid):
        return any(line.split()[1] == "->" and line.split()[5] == str(pid)
                   for line in pathlib.Path("/proc/locks").read_text().splitlines())

    def kinds(self, report):
        return sorted({item["kind"] for item in report["items"]})

    def test_a_dry_run_says_what_would_go_and_deletes_nothing(self):
        self.study()
        self.run_study()
        orphan = self.orphan(b"nobody's")
        (self.home / "blobs/tmp").mkdir(exist_ok=True)
        (self.home / "blobs/tmp/1-1").write_text("half a bl")
        before = self.everything()
        said = self.json("gc")
        self.assertFalse(said["deleted"])
        self.assertEqual(self.kinds(said), ["blob", "half-written", "workspace"])
        self.assertIn({"kind": "blob", "path": str(orphan), "bytes": 8, "why": "no event names it"}, said["items"])
        self.assertEqual(said["bytes"], sum(item["bytes"] for item in said["items"]))
        self.assertEqual(self.everything(), before)
        self.assertIn("would delete 3 items", self.etude("gc").stdout)
        done = self.json("gc", "--delete")
        self.assertTrue(done["deleted"])
        self.assertEqual(done["items"], said["items"])
        self.assertFalse(orphan.exists())
        self.assertEqual(self.json("gc")["items"], [])
        self.assertIn("nothing to delete", self.etude("gc").stdout)

    def test_a_kernel_that_starts_removes_what_others_left_half_made_and_no_blob(self):
        self.study()
        self.run_study()
        orphan = self.orphan(b"nobody's")
        (self.home / "blobs/tmp").mkdir(exist_ok=True)
        half_blob = self.home / "blobs/tmp/1-1"
        half_blob.write_text("half a bl")
        half_copy = self.home / "workspaces" / ("0" * 64 + ".XyZ123")
        half_copy.mkdir()
        attempt = self.home / "try/abcdef"
        (attempt / "run").mkdir(parents=True)
        self.etude("resume")
        for gone in (half_blob, half_copy, attempt):
            self.assertFalse(gone.exists(), gone)
        self.assertTrue(orphan.exists())
        self.assertTrue(self.json("verify")["ok"])

    def test_what_an_event_names_stays_and_the_home_is_as_good_as_before(self):
        self.study(STUDY.replace("runs: 100", "runs: 10"))
        paused = self.run_study(code=4)
        self.study(STUDY.replace("Fast against slow", "Another"), JOB + "\n# another\n")
        ended = self.run_study("-o", self.dir / "second-ara")
        self.orphan(b"nobody's")
        named = self.json("verify")
        done = self.json("gc", "--delete")
        self.assertEqual(self.kinds(done), ["blob", "workspace"])
        self.assertEqual(len(list((self.home / "workspaces").iterdir())), 1)  # of the paused one
        self.assertEqual(self.json("verify"), named)
        self.assertEqual(len([p for p in self.home.glob("blobs/??/*")]), named["blobs"])
        self.json("artifact", ended["id"], "-o", self.dir / "again-ara")
        self.assertTrue(self.json("check", self.dir / "again-ara", "--strict")["ok"])
        study = self.lines("resume", paused["id"], "--budget", "runs=100")[-1]
        self.assertEqual(study["outcome"], "concluded")

    def test_deleting_is_refused_while_a_kernel_owns_the_home(self):
        self.ticket_study()
        running = self.background("run", "study.yaml")
        until(lambda: (self.home / "workspaces").exists())
        refused = self.etude("gc", "--delete", code=3)
        self.assertIn(f"process {running.pid}", refused.stderr)
        self.assertIn(f"process {running.pid}", self.etude("gc").stderr)
        self.admit("all")
        self.assertEqual(running.wait(PATIENCE), 0)
        self.assertTrue(self.json("verify")["ok"])

    def test_deleting_is_refused_beneath_a_backup_or_a_try(self):
        self.study()
        self.run_study()
        orphan = self.orphan(b"perhaps a try's")
        (self.home / "try").mkdir(exist_ok=True)
        guest = os.open(self.home / "try", os.O_RDONLY)
        fcntl.flock(guest, fcntl.LOCK_SH)
        refused = self.etude("gc", "--delete", code=3)
        self.assertIn("a `try` or a `backup` is using it", refused.stderr)
        self.assertTrue(orphan.exists())
        os.close(guest)
        self.etude("gc", "--delete")
        self.assertFalse(orphan.exists())

    def test_a_backup_is_a_guest_of_the_home(self):
        self.study()
        self.run_study()
        held = os.open(self.home / "try", os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)  # as gc does
        waiting = self.background("backup", self.tmp / "home.tar")
        until(lambda: self.waits_for_a_lock(waiting.pid))
        self.assertIsNone(waiting.poll())
        self.assertFalse((self.tmp / "home.tar").exists())
        os.close(held)
        self.assertEqual(waiting.wait(PATIENCE), 0)

    def test_a_broken_home_is_left_as_it_is(self):
        import sqlite3
        self.study()
        self.run_study()
        self.orphan(b"nobody's")
        base = sqlite3.connect(self.home / "etude.db")
        with base:
            base.execute("UPDATE events SET payload = '{}' WHERE type = 'RunEnded' AND seq > 40")
        base.close()
        before = sorted(map(str, self.home.rglob("blobs/*/*")))
        for option in ([], ["--delete"]):
            self.assertIn("etude verify", self.etude("gc", *option, code=3).stderr)
        self.assertEqual(sorted(map(str, self.home.rglob("blobs/*/*"))), before)

    def test_a_home_that_lost_its_store_keeps_its_blobs(self):
        self.study()
        self.run_study()
        for name in ("etude.db", "etude.db-wal", "etude.db-shm"):
            (self.home / name).unlink(missing_ok=True)
        before = self.everything()
        self.assertIn("restore it from a backup", self.etude("gc", "--delete", code=3).stderr)
        self.assertEqual(self.everything(), before)

    def test_finished_reproductions_go_annotated_ones_stay(self):
        self.study()
        self.run_study()
        self.etude("reproduce", self.dir / "study-ara")
        place = next((self.home / "reproductions").iterdir())
        (place / "notes.md").write_text("mine")
        self.assertNotIn("reproduction", self.kinds(self.json("gc")))
        (place / "notes.md").unlink()
        self.assertIn("reproduction", self.kinds(self.json("gc", "--delete")))
        self.assertFalse(place.exists())
        self.json("artifact", "s2", "-o", self.dir / "again-ara")
        self.assertTrue(self.json("check", self.dir / "again-ara", "--strict")["ok"])

    def test_a_gc_that_is_killed_leaves_a_home_that_is_whole(self):
        self.study()
        self.run_study()
        named = self.json("verify")
        for round in range(8):
            for number in range(300):
                self.orphan(b"%d nobody's" % number)
            workspace = next(iter((self.home / "workspaces").glob("?" * 64)), None)
            if workspace is None:
                self.run_study("-o", self.dir / f"{round}-ara")
                named = self.json("verify")
            killed = self.background("gc", "--delete")
            time.sleep(0.004 * round)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            self.assertEqual(self.json("verify"), named)
        self.etude("gc", "--delete")
        self.assertEqual(len([p for p in self.home.glob("blobs/??/*")]), named["blobs"])
        self.assertEqual(self.json("gc")["items"], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
