"""A home or an artifact that someone changed is found out, and what can be restored is."""
import hashlib
import json
import os
import pathlib
import pty
import shutil
import sqlite3
import subprocess
import unittest

from harness import JOB, STUDY, EtudeTest, verdicts


class Workspace(EtudeTest):
    def frozen(self):
        return next((self.home / "workspaces").iterdir())

    def test_resume_runs_the_frozen_code_whatever_became_of_its_folder(self):
        self.study(STUDY.replace("runs: 100", "runs: 10"))
        paused = self.run_study(code=4)
        copy = self.frozen() / "job.py"
        os.chmod(copy, 0o644)
        copy.write_text(JOB.replace('"fast": 4.0', '"fast": 400.0'))
        report = self.json("verify", code=1)
        self.assertIn("job.py was changed", report["problems"][0])
        study = self.lines("resume", paused["id"], "--budget", "runs=100")[-1]
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        self.assertEqual(copy.read_text(), self.dir.joinpath("job.py").read_text())
        self.assertTrue(self.json("verify")["ok"])
        self.assertTrue(self.json("check", study["artifact"], "--strict")["ok"])

    def test_a_workspace_that_is_gone_is_restored_where_it_is_needed(self):
        self.study(STUDY.replace("runs: 100", "runs: 10"))
        paused = self.run_study(code=4)
        shutil.rmtree(self.home / "workspaces")
        study = self.lines("resume", paused["id"], "--budget", "runs=100")[-1]
        self.assertEqual(study["outcome"], "concluded")
        shutil.rmtree(self.home / "workspaces")
        self.json("artifact", study["id"], "-o", self.dir / "again-ara")
        self.assertTrue(self.json("check", self.dir / "again-ara", "--strict")["ok"])

    def test_a_second_run_of_the_same_code_does_not_trust_the_first_ones_folder(self):
        self.study()
        self.run_study()
        copy = self.frozen() / "job.py"
        os.chmod(copy, 0o644)
        copy.write_text("raise SystemExit(1)")
        second = self.run_study("-o", self.dir / "second-ara")
        self.assertEqual(second["outcome"], "concluded")


class Store(EtudeTest):
    def break_event(self, kind):
        base = sqlite3.connect(self.home / "etude.db")
        with base:
            (seq,) = base.execute("SELECT min(seq) FROM events WHERE type = ?", (kind,)).fetchone()
            base.execute("UPDATE events SET payload = replace(payload, '10', '11') WHERE seq = ?", (seq,))
        base.close()
        return seq

    def test_a_broken_chain_is_neither_packaged_nor_resumed(self):
        self.study(STUDY.replace("runs: 100", "runs: 10"))
        paused = self.run_study(code=4)
        shutil.copytree(self.home, self.tmp / "good")
        seq = self.break_event("StudyOpened")
        refused = self.etude("resume", paused["id"], "--budget", "runs=100", code=3)
        self.assertIn(f"event {seq} (StudyOpened of study s1)", refused.stderr)
        self.assertIn("etude verify", refused.stderr)
        shutil.rmtree(self.home)
        (self.tmp / "good").rename(self.home)
        study = self.lines("resume", paused["id"], "--budget", "runs=100")[-1]
        self.assertEqual(study["outcome"], "concluded")
        self.break_event("StudyOpened")
        refused = self.etude("artifact", study["id"], "-o", self.dir / "again-ara", code=3)
        self.assertIn("etude verify", refused.stderr)
        self.assertFalse((self.dir / "again-ara").exists())

    def test_a_home_that_lost_its_store_is_not_ok(self):
        self.study()
        self.run_study()
        for name in ("etude.db", "etude.db-wal", "etude.db-shm"):
            (self.home / name).unlink(missing_ok=True)
        report = self.json("verify", code=1)
        self.assertFalse(report["ok"])
        self.assertIn("etude.db", report["problems"][0])
        self.assertIn("etude.db", self.etude("ls", code=3).stderr)
        self.assertIn("restore it from a backup", self.etude("run", "study.yaml", code=3).stderr)
        self.assertFalse((self.home / "etude.db").exists())

    def test_a_home_that_only_tried_has_an_empty_store_and_can_be_used(self):
        self.study()
        self.etude("try", "study.yaml")
        self.assertIn("the store is empty", self.json("verify", code=1)["problems"][0])
        self.assertEqual(self.run_study()["outcome"], "concluded")
        self.assertTrue(self.json("verify")["ok"])

    def test_a_home_that_does_not_exist_has_no_store(self):
        refused = self.etude("verify", code=2)
        self.assertIn("there is no store here", refused.stderr)
        listed = self.etude("ls")
        self.assertEqual(listed.stdout, "")
        self.assertEqual(listed.stderr, refused.stderr)
        self.assertFalse(self.home.exists())


class Output(EtudeTest):
    def test_a_place_where_nothing_can_be_made_is_refused_before_any_run(self):
        self.study()
        for place in ("/proc/x", self.dir / ("n" * 250)):
            refused = self.etude("run", "study.yaml", "-o", place, code=2)
            self.assertIn("no folder can be made", refused.stderr)
            self.assertNotIn("filesystem error", refused.stderr)
        self.assertEqual(self.json("ls"), [])

    def test_a_users_file_beside_an_etude_json_is_never_deleted(self):
        self.study()
        other = self.dir / "study-ara"
        other.mkdir()
        (other / "etude.json").write_text('{"etude":1}')
        (other / "data.txt").write_text("years of work")
        self.etude("run", "study.yaml", code=2)
        self.assertEqual((other / "data.txt").read_text(), "years of work")
        shutil.rmtree(other)
        self.run_study()
        (other / "notes.txt").write_text("mine")
        refused = self.etude("run", "study.yaml", code=2)
        self.assertIn("notes.txt", refused.stderr)
        (other / "notes.txt").unlink()
        self.run_study()

    def test_after_packaging_failed_a_later_artifact_has_the_head_that_the_study_reports(self):
        place = self.dir / "study-ara"
        job = JOB + f"\nos.makedirs({str(place)!r}, exist_ok=True); open({str(place / 'thesis.txt')!r}, 'w').write('x')\n"
        self.study(STUDY.replace("timeout: 10m", "timeout: 10m, sandbox: none"), job)
        study = self.run_study(code=1)
        self.assertEqual(study["outcome"], "failed")
        self.assertIsNone(study["artifact"])
        self.assertEqual(study["detail"], f"packaging failed: {place}: the folder is neither empty nor an artifact of"
                         " etude: choose another place with -o")
        made = self.json("artifact", study["id"], "-o", self.dir / "later-ara")
        shown = self.json("show", study["id"])
        sealed = json.loads((self.dir / "later-ara/etude.json").read_text())
        heads = {study["head"], made["head"], shown["head"], sealed["events"]["head"], sealed["study"]["head"]}
        self.assertEqual(len(heads), 1, heads)
        self.assertTrue(self.json("check", self.dir / "later-ara", "--strict")["ok"])

    def test_on_a_terminal_the_hashing_of_much_evidence_says_how_far_it_is(self):
        self.study()
        artifact = pathlib.Path(self.run_study()["artifact"])
        big = 1200 << 20  # A hole: it is read, and takes no room.
        with open(artifact / "evidence/big.bin", "wb") as out:
            out.truncate(big)
        digest = hashlib.sha256()
        for _ in range(big >> 20):
            digest.update(bytes(1 << 20))
        seal = json.loads((artifact / "etude.json").read_text())
        seal["files"]["evidence/big.bin"] = digest.hexdigest()
        (artifact / "etude.json").chmod(0o644)
        (artifact / "etude.json").write_text(json.dumps(seal, indent=2))
        mine, theirs = pty.openpty()
        process = subprocess.Popen(self.command("check", artifact), stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(mine, 65536):
                said += piece
        except OSError:
            pass  # The other side has hung up.
        os.close(mine)
        process.wait()
        self.assertRegex(said, rb"hashing \[#*\.*\] \d+ of 12\d\d MB")
        self.assertTrue(said.endswith(b"\r\x1b[K"), said[-40:])
        self.assertNotIn("hashing", self.etude("check", artifact, code=None).stderr)

    def test_an_artifact_made_again_is_the_same(self):
        self.study()
        study = self.run_study()
        made = self.json("artifact", study["id"], "-o", self.dir / "again-ara")
        self.assertEqual(made["head"], study["head"])
        first, again = (json.loads((self.dir / name / "etude.json").read_text()) for name in ("study-ara", "again-ara"))
        self.assertEqual(first, again)


if __name__ == "__main__":
    unittest.main(verbosity=2)
