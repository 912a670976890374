"""A home and its artifacts as an earlier program left them (record_home.py): every later program must say of them what
was recorded, to the byte.

    python3 recorded_home_test.py write     records what the program says now; read the difference before committing it
"""
import difflib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ETUDE = pathlib.Path(os.environ.get("ETUDE", "build/etude")).resolve()
RECORDED = HERE / "recorded"
FIXTURES = HERE.parents[1] / "artifacts/fixtures"
# What each answer is asked by.
OF_STUDY = {"show.json": ("show", "--json"), "runs.jsonl": ("runs", "--json"),
            "graph.json": ("graph", "--format", "json"), "log.txt": ("log",)}
OF_ARTIFACT = {"check.json": ("check", "--strict", "--json"), "audit.json": ("audit", "--json")}

VERSION = subprocess.run([str(ETUDE), "--version"], capture_output=True, text=True).stdout.split()[-1]


def neutral(text, home):
    """Without this place and this version."""
    text = text.replace(str(home), "HOME").replace(str(FIXTURES), "FIXTURES")
    return text.replace(VERSION, "VERSION")


class RecordedHome(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.tmp = pathlib.Path(tempfile.mkdtemp(prefix="etude-recorded-"))
        cls.home = cls.tmp / "home"
        subprocess.run(["tar", "-xJf", str(RECORDED / "home.tar.xz"), "-C", str(cls.tmp)], check=True)
        # Whatever command writes first brings the read models up to date. This one is refused, since the study has ended.
        subprocess.run([str(ETUDE), "--home", str(cls.home), "resume", "s1"], capture_output=True, timeout=600)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.tmp, ignore_errors=True)

    def etude(self, *args):
        done = subprocess.run([str(ETUDE), "--home", str(self.home), *args], capture_output=True, text=True, timeout=600,
                              cwd=self.tmp)
        self.assertEqual(done.stderr, "", args)
        return done

    def studies(self):
        return [study["id"] for study in json.loads(self.etude("ls", "--json").stdout)]

    def compare(self, path, said):
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(said)
            return
        before = path.read_text()
        if said != before:
            lines = difflib.unified_diff(before.splitlines(), said.splitlines(), "recorded", "now", n=1, lineterm="")
            self.fail(f"{path.relative_to(HERE.parents[1])}\n" + "\n".join(list(lines)[:60]))

    def test_every_study_is_shown_as_it_was(self):
        studies = self.studies()
        self.assertGreaterEqual(len(studies), 10)
        for study in studies:
            for name, (verb, *options) in OF_STUDY.items():
                with self.subTest(study=study, answer=name):
                    said = self.etude(verb, study, *options).stdout
                    self.compare(RECORDED / study / name, neutral(said, self.home))

    def test_every_log_is_told_as_it_was(self):
        for study in self.studies():
            with self.subTest(study=study):
                log = neutral(self.etude("log", study, "--json").stdout, self.home)
                self.compare(RECORDED / study / "log.sha256", hashlib.sha256(log.encode()).hexdigest() + "\n")

    def test_the_store_verifies(self):
        report = json.loads(self.etude("verify", "--json").stdout)
        self.assertEqual((report["ok"], report["problems"]), (True, []))

    def test_every_artifact_is_judged_as_it_was(self):
        artifacts = sorted(FIXTURES.glob("*.zip"))
        self.assertGreaterEqual(len(artifacts), 10)
        for artifact in artifacts:
            for name, (verb, *options) in OF_ARTIFACT.items():
                with self.subTest(artifact=artifact.name, answer=name):
                    said = self.etude(verb, str(artifact), *options).stdout
                    self.compare(RECORDED / "artifacts" / f"{artifact.stem}.{name}", neutral(said, self.home))
                    if name == "audit.json":
                        self.assertTrue(json.loads(said)["ok"])


write = sys.argv[1:] == ["write"]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] if write else sys.argv)
