"""Artifacts that others made, taken into the memory: found again with their source, kept, refused, and never trusted."""
import os
import shutil
import signal
import sqlite3
import subprocess
import unittest

from harness import PATIENCE, STUDY, EtudeTest, until


class Import(EtudeTest):
    """An artifact of another home."""

    def setUp(self):
        super().setUp()
        self.study()
        self.ara = self.dir / "study-ara"
        self.etude("run", "study.yaml")
        shutil.rmtree(self.home)

    def recalled(self, *args):
        return self.json("recall", *args, "--limit", "100")

    def taken(self):
        return {(one["address"], one["kind"], one["verdict"]) for one in self.recalled("--where", "study=ara:study")}

    def test_what_an_artifact_says_is_found_with_its_source(self):
        done = self.json("import", self.ara)
        self.assertEqual((done["id"], done["already"], done["errors"]), ("ara:study", False, 0))
        self.assertEqual(done["items"]["claim"], 2)
        found = self.recalled("half of slow")
        claim = next(one for one in found if one["address"] == "ara:study/C01")
        self.assertEqual((claim["kind"], claim["verdict"]), ("claim", "supported"))
        self.assertIn("Fast against slow", claim["from"])
        self.assertIn(str(self.ara), claim["from"])
        kinds = {kind for _, kind, _ in self.taken()}
        self.assertLessEqual({"artifact", "claim", "dead_end", "concept", "evidence"}, kinds)
        self.assertIn(("ara:study/C02", "claim", "refuted"), self.taken())
        text = self.etude("recall", "half", "--where", "kind=claim").stdout
        self.assertIn("ara:study/C01  claim, supported", text)
        self.assertIn(f"[Fast against slow, imported from {self.ara}]", text)
        # What a study of the home says comes from nowhere else.
        self.etude("run", "study.yaml", "-o", "again")
        self.assertEqual({one["from"] for one in self.recalled("half", "--where", "study=s1")}, {None})

    def test_the_same_files_are_taken_in_once(self):
        self.etude("import", self.ara)
        before = self.taken()
        elsewhere = self.tmp / "elsewhere"
        shutil.copytree(self.ara, elsewhere)
        again = self.json("import", elsewhere, "--as", "other")
        self.assertEqual((again["id"], again["already"]), ("ara:study", True))
        self.assertIn("already", self.etude("import", self.ara).stdout)
        self.assertEqual(self.taken(), before)
        # Other files under the same name are another artifact.
        (elsewhere / "logic/note.md").write_text("A word of a reader.\n")
        self.assertEqual(self.json("import", elsewhere, "--as", "study")["id"], "ara:study-2")
        self.assertEqual(self.json("verify")["problems"], [])

    def test_it_outlives_its_folder_the_read_models_gc_and_a_backup(self):
        self.etude("import", self.ara)
        before = self.taken()
        shutil.rmtree(self.ara)
        self.assertEqual([one for one in self.json("gc", "--delete")["items"] if one["kind"] == "blob"], [])
        verified = self.json("verify")
        self.assertTrue(verified["ok"])
        self.assertGreater(verified["blobs"], 20)
        with sqlite3.connect(self.home / "etude.db") as db:
            db.execute("UPDATE read_models SET version = 1")
            db.execute("DELETE FROM memories")
            db.execute("INSERT INTO memories_fts(memories_fts) VALUES ('rebuild')")
        self.study(STUDY.replace("Fast against slow", "Another"))
        self.etude("run", "study.yaml", "-o", "other")  # A run writes the read models anew.
        self.assertEqual(self.taken(), before)
        self.etude("backup", self.tmp / "all.tar")
        shutil.rmtree(self.home)
        self.home.mkdir()
        subprocess.run(["tar", "-xf", self.tmp / "all.tar", "-C", self.home], check=True)
        self.assertEqual(self.taken(), before)
        self.assertTrue(self.json("verify")["ok"])
        # A blob of its evidence that is gone is missed.
        with sqlite3.connect(self.home / "etude.db") as db:
            files = db.execute("SELECT files FROM imports").fetchone()[0]
        (self.home / "blobs" / files[:2] / files[2:]).unlink()
        problems = self.json("verify", code=1)["problems"]
        self.assertTrue(any("import ara:study" in one for one in problems), problems)

    def test_a_changed_record_is_found_and_stops_gc(self):
        self.etude("import", self.ara)
        with sqlite3.connect(self.home / "etude.db") as db:
            db.execute("UPDATE imports SET record = replace(record, '\"refuted\"', '\"supported\"')")
        self.assertTrue(any("was changed" in one for one in self.json("verify", code=1)["problems"]))
        self.assertIn("was changed", self.etude("gc", "--delete", code=3).stderr)
        with sqlite3.connect(self.home / "etude.db") as db:
            db.execute("DELETE FROM imports")
        self.assertTrue(any("they are gone" in one for one in self.json("verify", code=1)["problems"]))

    def test_errors_refuse_and_leave_nothing(self):
        row = self.ara / "evidence/results/E01.csv"
        row.chmod(0o644)
        row.write_text(row.read_text().replace("1", "2"))
        done = self.etude("import", self.ara, code=1)
        self.assertIn("changed-file", done.stdout)
        self.assertIn("was not imported: it has errors", done.stderr)
        self.assertFalse((self.home / "etude.db").exists())
        self.assertFalse(self.json("import", self.ara, code=1)["ok"])
        taken = self.json("import", self.ara, "--despite-errors")
        self.assertGreater(taken["errors"], 0)
        self.assertIn(("ara:study/C01", "claim", "supported"), self.taken())
        self.etude("import", self.tmp / "nothing", code=2)

    def test_nothing_outside_is_read_and_nothing_drives_the_terminal(self):
        secret = self.tmp / "secret.txt"
        secret.write_text("the password is xyzzy\n")
        (self.ara / "evidence/tables/out.md").symlink_to(secret)
        (self.ara / "logic/up").symlink_to(self.tmp)
        (self.ara / ".ara_env").write_text("KEY=plugh\n")
        os.mkfifo(self.ara / "evidence/pipe")
        claims = self.ara / "logic/claims.md"
        claims.chmod(0o644)
        claims.write_text(claims.read_text().replace("## C01: ", "## C01: \x1b]0;owned\x07 "))
        deep = self.ara / "data"
        for _ in range(40):
            deep = deep / "d"
        deep.mkdir(parents=True)
        (deep / "x.md").write_text("deep\n")
        done = self.etude("import", self.ara, "--despite-errors")
        self.assertIn("out.md leads out of the artifact", done.stderr)
        self.assertIn(".ara_env holds a secret", done.stderr)
        shown = done.stdout + done.stderr + self.etude("recall", "--where", "study=ara:study", "--limit", "999").stdout
        self.assertNotIn("\x1b", shown)
        self.assertNotIn("\x07", shown)
        self.assertEqual(self.recalled("xyzzy"), [])
        held = b"".join(path.read_bytes() for path in self.home.rglob("*") if path.is_file())
        self.assertNotIn(b"xyzzy", held)
        self.assertNotIn(b"plugh", held)

    def test_killed_before_its_commit_it_was_never_there(self):
        done = self.etude("import", self.ara, code=None, env={**os.environ, "ETUDE_FAULT": "kill-before-commit:1"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(self.recalled("half"), [])
        self.assertGreater(len(self.json("gc")["items"]), 0)
        done = self.etude("import", self.ara, code=None, env={**os.environ, "ETUDE_FAULT": "kill-after-commit:1"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertTrue(self.json("import", self.ara)["already"])
        self.assertEqual(self.json("gc")["items"], [])

    def test_a_kernel_that_owns_the_home_takes_it_in(self):
        server = subprocess.Popen(self.command("serve", "--port", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (server.stdout.close(), server.stderr.close()))
        self.addCleanup(lambda: (server.terminate(), server.wait(PATIENCE)))
        until(lambda: (self.home / "kernel.sock").exists())
        self.assertEqual(self.json("import", self.ara)["id"], "ara:study")
        self.assertTrue(self.json("import", self.ara)["already"])
        self.assertIn(("ara:study/C01", "claim", "supported"), self.taken())
        self.assertTrue(self.json("verify")["ok"])


if __name__ == "__main__":
    unittest.main()
