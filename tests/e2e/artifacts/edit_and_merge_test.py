"""Artifacts edited and merged by the real program, by Git's merge too: nothing lost, seals respected, changes undone by patch."""
import hashlib
import json
import pathlib
import shutil
import subprocess
import unittest
import zipfile

from harness import ETUDE, EtudeTest

ARTIFACTS = pathlib.Path(__file__).resolve().parents[2] / "artifacts"


def digests(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts}


class EditAndMerge(EtudeTest):
    def ara(self, *args, code=0):
        return self.etude("ara", *args, code=code)

    def git(self, *args, code=0):
        done = subprocess.run(["git", *map(str, args)], cwd=self.dir / "repo", capture_output=True, text=True, env=self.git_env)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def repository(self):
        """A repository with an artifact in ara/, and etude as its merge driver."""
        repo = self.dir / "repo"
        shutil.copytree(ARTIFACTS / "clean", repo / "ara")
        self.git_env = {"PATH": "/usr/bin:/bin", "HOME": str(self.dir), "GIT_CONFIG_NOSYSTEM": "1", "ETUDE_HOME": str(self.home)}
        self.git("init", "-q", "-b", "main")
        for key, value in (("user.name", "T"), ("user.email", "t@example.org"), ("core.autocrlf", "false"),
                           ("merge.ara.driver", f"{ETUDE} ara merge %O %A %B --path %P")):
            self.git("config", key, value)
        (repo / ".gitattributes").write_text("ara/** merge=ara\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "base")
        return repo / "ara"

    def on_branch(self, name, *edits):
        self.git("checkout", "-q", "-b", name, "main")
        for edit in edits:
            self.ara(edit[0], self.dir / "repo" / "ara", *edit[1:])
        self.git("commit", "-q", "-a", "-m", name)

    @unittest.skipUnless(shutil.which("git"), "no git")
    def test_git_merges_what_both_sides_changed(self):
        ara = self.repository()
        self.on_branch("theirs", ("edit", "C01", "--set", "status=refuted"), ("link", "N03", "C02"),
                       ("add", "node", "--type", "question", "--title", "Theirs?", "--parent", "N06", "--id", "N20"))
        self.on_branch("ours", ("edit", "C01", "--set", "tags=sorting, short"), ("edit", "N03", "--set", "title=Growth next"),
                       ("add", "node", "--type", "question", "--title", "Ours?", "--parent", "N06", "--id", "N10"))
        self.git("merge", "-q", "theirs", "-m", "both")
        claims, tree = (ara / "logic/claims.md").read_text(), (ara / "trace/exploration_tree.yaml").read_text()
        for text in ("- **Status**: refuted\n", "- **Tags**: sorting, short\n"):
            self.assertIn(text, claims)
        for text in ("title: \"Growth next\"", "evidence: [C02]", "id: N10", "id: N20"):
            self.assertIn(text, tree)
        self.assertEqual(self.json("check", ara, "--no-config")["errors"], 0)
        # The same field, changed in two ways, is a conflict with both versions.
        self.on_branch("more", ("edit", "C02", "--set", "status=supported"))
        self.git("checkout", "-q", "ours")
        self.ara("edit", ara, "C02", "--set", "status=refuted")
        self.git("commit", "-q", "-a", "-m", "ours again")
        self.git("merge", "-q", "more", "-m", "clash", code=1)
        self.assertIn("<<<<<<< ours\n- **Status**: refuted\n||||||| base\n- **Status**: hypothesis\n=======\n"
                      "- **Status**: supported\n>>>>>>> theirs\n", (ara / "logic/claims.md").read_text())

    def test_a_sealed_artifact_is_merged_and_not_edited(self):
        with zipfile.ZipFile(ARTIFACTS / "fixtures/sized.zip") as packed:
            packed.extractall(self.dir / "sealed")
        sealed = next((self.dir / "sealed").rglob("etude.json")).parent
        before = digests(sealed)
        self.assertIn("sealed", self.ara("edit", sealed, "C01", "--set", "status=refuted", code=2).stderr)
        self.assertEqual(digests(sealed), before)
        # What an edit by hand would be: the audit notices.
        forged = self.dir / "forged"
        shutil.copytree(sealed, forged)
        shutil.copy(forged / "etude.json", self.dir / "seal")
        (forged / "etude.json").unlink()
        self.ara("edit", forged, "C01", "--set", "statement=It is so.")
        shutil.copy(self.dir / "seal", forged / "etude.json")
        self.assertIn("logic/claims.md", self.etude("audit", forged, code=1).stdout)
        # A copy without the seal is edited, and merged with others.
        copy, out = self.dir / "copy", self.dir / "out"
        self.ara("merge", sealed, "-o", copy)
        self.assertFalse((copy / "etude.json").exists())
        record = json.loads((copy / "trace/merges.jsonl").read_text())
        head = json.loads((sealed / "etude.json").read_text())["events"]["head"]
        self.assertEqual(record["ours"]["head"], head)
        self.assertEqual(self.json("check", copy, "--no-config")["errors"], 0)
        self.ara("edit", copy, "C01", "--set", "tags=mine")
        minimal = ARTIFACTS / "corpus/minimal"
        merged = self.ara("merge", minimal, copy, "-o", out, code=1)  # Two papers are a conflict.
        self.assertIn("conflict  PAPER.md", merged.stdout)
        claims = (out / "logic/claims.md").read_text()
        for text in ("Transformers train faster", "- **Tags**: mine"):
            self.assertIn(text, claims)
        self.assertEqual(self.json("check", out, "--no-config")["errors"], 0)
        self.ara("merge", minimal, copy, "-o", out, code=2)  # Nothing is replaced.
        self.assertEqual(digests(sealed), before)

    @unittest.skipUnless(shutil.which("patch"), "no patch")
    def test_a_change_is_taken_back_by_patch(self):
        for name in ("clean", "corpus/resnet", "corpus/andes"):
            ara = self.dir / name.replace("/", "-")
            shutil.copytree(ARTIFACTS / name, ara)
            claims = ara / "logic/claims.md"
            claims.write_bytes(claims.read_bytes().replace(b"\n", b"\r\n").rstrip())  # And no line end at the end.
            for edit in (("add", "claim", "--title", "New", "--set", "statement=It is new."),
                         ("add", "node", "--type", "dead_end", "--title", "No", "--parent", "N01", "--set", "lesson=one\ntwo",
                          "--set", "timestamp=2026-01-01T00:00:00Z"),
                         ("edit", "C01", "--set", "statement=Another."), ("link", "N02", "C02"),
                         ("add", "evidence", "tables/new", "--title", "New", "--set", "source=Table 9")):
                before = digests(ara)
                diff = subprocess.run(self.command("ara", edit[0], ara, *edit[1:], "--dry-run"), check=True,
                                      capture_output=True).stdout
                self.assertEqual(digests(ara), before)
                self.ara(edit[0], ara, *edit[1:])
                self.assertNotEqual(digests(ara), before)
                subprocess.run(["patch", "-R", "-p1", "-s", "--binary", "-d", ara], input=diff, check=True)
                self.assertEqual(digests(ara), before, edit)


if __name__ == "__main__":
    unittest.main()
