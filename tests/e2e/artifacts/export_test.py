"""An artifact leaves as one page, one archive or an RO-Crate, and arrives as what it was."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

from harness import ETUDE, PATIENCE, EtudeTest

PEERS = pathlib.Path(__file__).resolve().parents[2] / "peers"
VALIDATOR = next(PEERS.glob("venv/lib/python3*/site-packages/rocrate_validator"), None)
# Each profile takes the validator four seconds; `make soak` asks for all, and for a browser that opens each page.
EVERY_PROFILE = os.environ.get("ETUDE_PROFILES")
CORPUS = pathlib.Path(__file__).resolve().parents[2] / "artifacts/corpus"

# One study for all tests.
maker = EtudeTest("run_study")


def setUpModule():
    maker.pictures = True
    maker.setUp()
    maker.study()
    maker.write("tool.sh", "#!/bin/sh\nexit 0\n", mode=0o755)
    (maker.dir / "tööl").symlink_to("tool.sh")
    Exporting.made = maker.run_study()
    Exporting.original = pathlib.Path(Exporting.made["artifact"])


def tearDownModule():
    maker.tearDown()


class Exporting(EtudeTest):
    pictures = True

    def setUp(self):
        super().setUp()
        self.ara = self.tmp / "ara"
        shutil.copytree(self.original, self.ara, symlinks=True)

    def export(self, to, name, *args, code=0, **kw):
        done = self.etude("export", self.ara, "--to", to, "-o", self.tmp / name, *args, code=code, **kw)
        return done.stderr if code else self.tmp / name

    def sound(self, folder):
        self.assertTrue(self.json("check", folder, "--strict")["ok"])
        self.assertTrue(self.json("audit", folder, "--head", self.made["head"])["ok"])

    def unzipped(self, archive):
        """By a program that is not ours, which keeps modes and links."""
        place = self.tmp / (archive.name + "-unzipped")
        place.mkdir()
        for info in zipfile.ZipFile(archive).infolist():
            target, mode = place / info.filename, info.external_attr >> 16
            if info.is_dir():
                target.mkdir(exist_ok=True)
            elif mode & 0o170000 == 0o120000:
                target.symlink_to(zipfile.ZipFile(archive).read(info).decode())
            else:
                target.write_bytes(zipfile.ZipFile(archive).read(info))
                target.chmod(mode & 0o777)
        return place / self.ara.name

    def test_the_same_artifact_is_the_same_archive_anywhere_and_arrives_whole(self):
        first = self.export("zip", "a.zip")
        again = self.tmp / "elsewhere" / "ara"
        shutil.copytree(self.ara, again, symlinks=True, copy_function=shutil.copy)  # other times
        self.etude("export", again, "--to", "zip", "-o", self.tmp / "b.zip", env={**os.environ, "TZ": "Asia/Tokyo"})
        self.assertEqual(first.read_bytes(), (self.tmp / "b.zip").read_bytes())
        self.sound(first)
        folder = self.unzipped(first)
        self.sound(folder)
        differ = subprocess.run(["diff", "-r", "--no-dereference", self.ara, folder], capture_output=True, text=True)
        self.assertEqual(differ.stdout, "")
        tool = next(folder.glob("src/workspace/*/tool.sh"))
        (tool.parent / "other").symlink_to("job.py")
        (tool.parent / "other").replace(tool.parent / "tööl")
        found = self.json("check", folder, code=1)["findings"]
        self.assertIn("workspace-mismatch", [f["rule"] for f in found])
        self.assertTrue(os.access(tool, os.X_OK) and (tool.parent / "tööl").is_symlink())

    def test_secrets_pipes_and_what_leads_out_stay_behind_and_are_named(self):
        (self.ara / ".ara_env").write_text("KEY=never")
        (self.ara / "logic" / ".ara_env").write_text("KEY=never")
        (self.ara / "out").symlink_to("/etc/passwd")
        (self.ara / "up").symlink_to("../elsewhere")
        (self.ara / "loop").symlink_to("loop")
        os.mkfifo(self.ara / "pipe")
        for to, name in (("zip", "a.zip"), ("ro-crate", "crate"), ("html", "a.html")):
            said = self.json("export", self.ara, "--to", to, "-o", self.tmp / name)
            left = [] if to == "html" else [".ara_env", "logic/.ara_env", "loop", "out", "pipe", "up"]
            self.assertEqual(said["left_out"], left)
        names = zipfile.ZipFile(self.tmp / "a.zip").namelist()
        self.assertEqual([n for n in names if "ara_env" in n or n.endswith(("/out", "/up", "/pipe", "/loop"))], [])
        everything = b"".join(p.read_bytes() for p in (self.tmp / "crate").rglob("*") if p.is_file())
        self.assertNotIn(b"KEY=never", everything + (self.tmp / "a.html").read_bytes())

    def test_a_crate_that_the_validator_of_others_finds_nothing_in(self):
        crate = self.export("ro-crate", "crate")
        if not shutil.which("node"):
            self.skipTest("there is no node")
        done = subprocess.run(["node", PEERS / "rocval.js", crate], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.sound(self.export_again_without(crate))
        entities = {e["@id"]: e for e in json.loads((crate / "ro-crate-metadata.json").read_text())["@graph"]}
        runs = [e for e in entities.values() if e["@type"] == "CreateAction"]
        # The execution of the whole study is one more.
        self.assertEqual(len(runs), self.made["runs"]["total"] + 1)
        of = next(r for r in runs if "experiment E01" in r["name"])
        self.assertEqual(of["result"]["@id"], "evidence/results/E01.csv")
        values = {entities[o["@id"]]["name"]: entities[o["@id"]]["value"] for o in of["object"]}
        self.assertEqual(set(values), {"arm", "n", "seed"})
        claim = entities["#C01"]
        self.assertIn({"@id": "evidence/results/E01.csv"}, claim["wasDerivedFrom"])
        for file in (e for e in entities.values() if e["@type"] == "File"):
            self.assertTrue((crate / file["@id"]).is_file(), file["@id"])
        zipped = self.export("ro-crate", "crate.zip")
        self.assertIn("ara/ro-crate-metadata.json", zipfile.ZipFile(zipped).namelist())

    def test_the_published_validator_finds_no_broken_requirement(self):
        if not VALIDATOR:
            self.skipTest("no roc-validator in tests/peers/venv")
        now, before = self.export("ro-crate", "now"), self.export("ro-crate", "before", "--profile", "0.5")
        # The validator knows RO-Crate 1.3, but of the run profiles only 0.5.
        every = [(now, "ro-crate-1.3"), (now, "process-run-crate-0.5", "alone"), (before, "workflow-run-crate-0.5")]
        for crate, profile, *alone in every if EVERY_PROFILE else every[:1]:
            with self.subTest(crate=crate.name, profile=profile):
                done = self.validated(crate, profile, *alone)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        of = {e["@id"]: e for e in json.loads((now / "ro-crate-metadata.json").read_text())["@graph"]}
        self.assertEqual(of["./"]["conformsTo"], [{"@id": "https://w3id.org/ro/wfrun/process/0.6"},
                                                  {"@id": "https://w3id.org/ro/wfrun/workflow/0.6"},
                                                  {"@id": "https://w3id.org/workflowhub/workflow-ro-crate/1.1"}])
        self.assertEqual(of["./"]["mainEntity"], of["#study"]["instrument"])
        if not EVERY_PROFILE:
            return
        (now / of["./"]["mainEntity"]["@id"]).unlink()
        broken = self.validated(now, "ro-crate-1.3")
        self.assertEqual(broken.returncode, 1, "the validator notices that the workflow is not there")

    def validated(self, crate, *profile):
        return subprocess.run([sys.executable, PEERS / "rocrate_check.py", crate, *profile], capture_output=True,
                              text=True, timeout=PATIENCE)

    def export_again_without(self, crate):
        """What a crate adds is no part of the record."""
        for name in ("ro-crate-metadata.json", "ro-crate-preview.html"):
            (crate / name).rename(self.tmp / name)
        folder = self.tmp / "without"
        shutil.copytree(crate, folder, symlinks=True)
        for name in ("ro-crate-metadata.json", "ro-crate-preview.html"):
            (self.tmp / name).rename(crate / name)
        return folder

    def test_one_page_that_fetches_nothing(self):
        page = self.export("html", "a.html")
        html = page.read_text()
        for needed in ("C01", "Exploration graph", "Verdicts", "data:image/svg+xml;base64,"):
            self.assertIn(needed, html)
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', html), [])
        self.assertNotIn("<script", html)
        for text in (html, (self.ara / "report.html").read_text()):
            pictures = re.findall(r"<img [^>]*>", text)
            self.assertTrue(pictures)
            for picture in pictures:
                self.assertRegex(picture, r'alt="[^"]{12,}"', "who does not see a picture is told what it shows")
        if not shutil.which("chromium-headless-shell"):
            self.skipTest("there is no chromium-headless-shell")
        self.assertIn("Exploration graph", self.in_browser(page, "--dump-dom"))
        if not os.environ.get("ETUDE_SCREENSHOTS"):
            return
        pictures = ETUDE.parent / "screenshots"
        pictures.mkdir(exist_ok=True)
        for name, shown in (("report", self.ara / "report.html"), ("export", page)):
            self.in_browser(shown, f"--screenshot={pictures}/{name}.png", "--window-size=1000,3200")
            self.assertGreater((pictures / f"{name}.png").stat().st_size, 20_000)

    def test_artifacts_of_others(self):
        for name in ("andes", "resnet", "minimal"):
            page = self.tmp / f"{name}.html"
            self.etude("export", CORPUS / name, "--to", "html", "-o", page)
            self.assertNotIn("<script", page.read_text())
            self.assertEqual(re.findall(r'src="(?!data:)[^"]*"', page.read_text()), [])
            if shutil.which("chromium-headless-shell") and (name == "andes" or EVERY_PROFILE):
                self.assertIn("<h1", self.in_browser(page, "--dump-dom"))
            crate = self.tmp / name
            self.etude("export", CORPUS / name, "--to", "ro-crate", "-o", crate)
            if shutil.which("node"):
                done = subprocess.run(["node", PEERS / "rocval.js", crate], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_text_of_others_is_no_markup(self):
        claims = self.ara / "logic/claims.md"
        claims.write_text("# Claims\n\n## C01: <script>alert(1)</script>\n- **Statement**: <img src=x onerror=alert(1)> "
                          "[me](javascript:alert(1)) \x1b[31m ![p](http://elsewhere/p.png)\n")
        page = self.export("html", "a.html")
        for bad in ("<script", "<img src=x", "javascript:", "\x1b", "http://elsewhere"):
            self.assertNotIn(bad, page.read_text())
        if shutil.which("chromium-headless-shell"):
            self.in_browser(page, "--dump-dom")

    def test_what_cannot_be_done_is_said_and_leaves_nothing(self):
        kept = self.tmp / "kept"
        kept.mkdir()
        (kept / "mine.txt").write_text("mine")
        (self.tmp / "there.zip").write_text("mine")
        for to, name, why in (("page", "x", "is no study"), ("zip", "there.zip", "it already exists"),
                              ("ro-crate", "kept", "holds something else"), ("html", "no/x.html", "its parent folder does not exist"),
                              ("zip", "ara/x.zip", "within the artifact")):
            self.assertIn(why, self.export(to, name, code=2))
        self.assertIn("holds something else", self.export("ro-crate", "kept", "--force", code=2))
        self.assertEqual((self.tmp / "there.zip").read_text(), "mine")
        self.etude("export", kept, "--to", "zip", "-o", self.tmp / "x.zip", code=2)
        self.etude("export", self.tmp / "nowhere", "--to", "zip", "-o", self.tmp / "x.zip", code=2)
        self.export("zip", "there.zip", "--force")
        self.sound(self.unzipped(self.tmp / "there.zip"))
        self.assertEqual([p.name for p in self.tmp.iterdir() if ".etude-" in p.name], [])
        self.assertFalse((self.tmp / "x.zip").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
