"""environment.use: apptainer: a folder or a file as the root of a run's sandbox; Apptainer itself where it is installed."""
import hashlib
import json
import os
import shutil
import subprocess
import unittest

from harness import EtudeTest
from small_image import BUSYBOX, MKSQUASHFS, make_image, make_root, sif

APPTAINER = shutil.which("apptainer")

# The metric is what a program of the image prints.
STUDY = """
etude: 1
title: Tools
question: Which tool is cheaper?
environment: {use: 'apptainer:IMAGE'}
run: 'test ! -e /usr/bin/env && echo "{{\\"name\\": \\"cost\\", \\"value\\": $(scale {tool})}}" >> $ETUDE_METRICS'
factors:
  tool: {levels: [a, b], baseline: b}
metrics:
  cost: {primary: true, deterministic: true}
design: {replicates: {min: 3, max: 3}}
cache: true
resources: {timeout: 10m}
"""
# What `apptainer exec` does with the options that it gets, by bubblewrap.
STAND_IN = """#!/usr/bin/python3
import os, sys
words = sys.argv[1:]
if words == ["--version"]:
    print("apptainer version 1.3.6")
    sys.exit()
assert words.pop(0) == "exec" and "--userns" in words
mounts, place = [], "/"
while words[0].startswith("--"):
    option = words.pop(0)
    if option == "--bind":
        outside, *inside = words.pop(0).split(":")
        mounts += ["--ro-bind" if "ro" in inside else "--bind", outside, inside[0] if inside else outside]
    elif option == "--pwd":
        place = words.pop(0)
    elif option == "--home":
        assert "--containall" in sys.argv
        words.pop(0)
    elif option not in ("--userns", "--cleanenv", "--containall"):
        sys.exit("not known: " + option)
root = words.pop(0)
shown = [word for name in os.listdir(root) for word in ("--ro-bind", f"{root}/{name}", f"/{name}")]
mark = "APPTAINERENV_"
env = {name[len(mark):]: value for name, value in os.environ.items() if name.startswith(mark)}
os.execve("BWRAP", ["bwrap", *shown, "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev",
                    *mounts, "--chdir", place, "--", *words], {"PATH": "/bin"} | env)
"""


@unittest.skipUnless(BUSYBOX.exists(), "busybox is not installed")
class Images(EtudeTest):
    on_disk = True

    def setUp(self):
        super().setUp()
        self.root = self.tmp / "root"
        make_root(self.root)

    def study_in(self, image, *changes):
        text = STUDY.replace("IMAGE", str(image))
        for old, new in changes:
            text = text.replace(old, new)
        self.write("study.yaml", text)

    def with_bubblewrap_only(self):
        tools = self.tmp / "tools"
        tools.mkdir()
        (tools / "bwrap").symlink_to(shutil.which("bwrap"))
        return os.environ | {"PATH": str(tools)}

    def costs(self, study):
        return {(r["factors"]["tool"], r["metrics"]["cost"]) for r in self.lines("runs", study["id"]) if r["evidence"]}

    def kept(self):
        folder = self.home / "kept"
        return sorted(p.name for p in folder.iterdir() if p.name != "tmp") if folder.exists() else []

    def refusal(self, code, env=None):
        """What `run` says; nothing is started, and nothing is left."""
        done = self.etude("run", "study.yaml", code=code, env=env)
        self.assertEqual(self.json("ls"), [])
        self.assertFalse((self.dir / "study-ara").exists())
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(self.kept(), [])
        return done.stderr

    def test_a_folder_is_the_root_of_every_run(self):
        self.study_in("../root")
        plan = self.json("plan", "study.yaml")
        self.assertEqual((plan["environment"]["path"], plan["environment"]["found"]), (str(self.root), "image, a folder"))
        study = self.run_study("-j", "2")
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))
        shown = {p["name"]: p for p in self.json("show", study["id"])["environment"]["programs"]}
        self.assertRegex(shown["environment"]["version"], r"^image, \d+ bytes, sha256:[0-9a-f]{64}$")
        self.assertEqual(shown["environment"]["path"], str(self.root))
        self.assertEqual(shown["system of the image"]["version"], "A small system 7")
        self.assertEqual(shown["scale"]["path"], "/opt/bin/scale")
        self.assertIn('"org.label-schema.version": "1.4"', json.dumps(self.lines("log", study["id"])[0]))
        self.assertIn(shown["environment"]["version"], (self.dir / "study-ara/report.md").read_text())
        self.assertTrue(self.json("check", self.dir / "study-ara", "--strict")["ok"])
        self.assertEqual(self.kept(), [])
        # Another content is another environment, whose runs are run.
        (self.root / ".singularity.d/env/90-environment.sh").write_text("export PATH=/opt/bin:/bin SCALE=4\n")
        other = self.run_study("-j", "2", "-o", self.dir / "other")
        self.assertEqual((other["runs"]["cached"], self.costs(other)), (0, {("a", 20), ("b", 36)}))

    @unittest.skipUnless(MKSQUASHFS, "squashfs-tools is not installed")
    def test_a_file_is_unpacked_once(self):
        image = make_image(self.root, self.tmp / "image.sif")
        self.study_in(image)
        self.assertRegex(self.json("plan", "study.yaml")["environment"]["found"], r"^image, squashfs, \d+ bytes$")
        self.assertEqual(self.kept(), [], "`plan` unpacked the image")
        study = self.run_study("-j", "2")
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))
        version = next(p["version"] for p in self.json("show", study["id"])["environment"]["programs"]
                       if p["name"] == "environment")
        data = image.read_bytes()
        self.assertEqual(version, f"image, {len(data)} bytes, sha256:{hashlib.sha256(data).hexdigest()}")
        [folder] = self.kept()
        unpacked = (self.home / "kept" / folder / "opt/bin/scale").stat().st_ino
        # The same bytes are the same environment, at any place and without a program that unpacks them.
        again = self.run_study("-j", "2", "-o", self.dir / "again", env=self.with_bubblewrap_only())
        self.assertEqual(again["runs"]["cached"], again["runs"]["total"])
        self.assertEqual((self.home / "kept" / folder / "opt/bin/scale").stat().st_ino, unpacked)
        # No unfinished study uses it.
        self.etude("gc", "--delete")
        self.assertEqual(self.kept(), [])

    @unittest.skipUnless(MKSQUASHFS, "squashfs-tools is not installed")
    def test_a_killed_kernel_goes_on_in_the_same_image(self):
        image = make_image(self.root, self.tmp / "image.sif")
        self.study_in(image)
        killed = subprocess.run(self.command("run", "study.yaml", "-j", "1"), cwd=self.dir, capture_output=True,
                                env=os.environ | {"ETUDE_FAULT": "kill-after-commit:12"})
        self.assertLess(killed.returncode, 0)
        image.unlink()
        self.etude("gc", "--delete")
        self.assertEqual(len(self.kept()), 1, "gc deleted the image of an unfinished study")
        study = self.lines("resume")[-1]
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))

    def test_what_is_no_image_starts_nothing(self):
        self.study_in("nowhere.sif")
        self.assertIn("environment.use: there is no `", self.refusal(2))
        self.study_in("docker://debian:12")
        self.assertIn("apptainer pull image.sif docker://debian:12", self.refusal(2))
        self.write("text.sif", "just a text\n")
        self.study_in("text.sif")
        self.assertIn("text.sif is no image: neither a SIF file nor squashfs nor a folder", self.refusal(2))
        (self.dir / "cut.sif").write_bytes(sif(b"hsqs" + bytes(5000))[:34000])
        self.study_in("cut.sif")
        self.assertIn("cut.sif is a SIF file without a whole root file system", self.refusal(2))
        (self.dir / "image.sif").write_bytes(sif(b"hsqs" + bytes(5000)))
        self.study_in("image.sif")
        self.assertIn("neither `unsquashfs` nor `apptainer` is on PATH", self.refusal(3, self.with_bubblewrap_only()))
        if shutil.which("unsquashfs"):
            self.assertIn("image.sif cannot be unpacked: unsquashfs: ", self.refusal(2))
        (self.root / "bin/sh").unlink()
        self.study_in(self.root)
        self.assertIn("has no /bin/sh", self.refusal(2))
        (self.root / "bin/sh").symlink_to("busybox")
        (self.root / "opt/bin/scale").unlink()
        self.assertIn("study.yaml: run: `scale` is not on the image's PATH: add it to the image", self.refusal(2))

    @unittest.skipIf(APPTAINER, "Apptainer is installed")
    def test_without_a_sandbox_it_needs_apptainer(self):
        self.study_in(self.root, ("resources: {", "resources: {sandbox: none, "))
        self.assertIn("`resources.sandbox` is `none`, and `apptainer` is not on PATH", self.refusal(3))

    @unittest.skipUnless(shutil.which("bwrap"), "bubblewrap is not installed")
    def test_without_a_sandbox_apptainer_gets_the_command(self):
        stand_in = self.tmp / "tools/apptainer"
        stand_in.parent.mkdir()
        stand_in.write_text(STAND_IN.replace("BWRAP", shutil.which("bwrap")))
        stand_in.chmod(0o755)
        env = os.environ | {"PATH": f"{stand_in.parent}:{os.environ['PATH']}"}
        self.study_in(self.root, ("resources: {", "resources: {sandbox: none, "))
        study = self.run_study("-j", "2", env=env)
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))
        shown = {p["name"]: p for p in self.json("show", study["id"])["environment"]["programs"]}
        self.assertEqual((shown["apptainer"]["path"], shown["apptainer"]["version"]),
                         (str(stand_in), "apptainer version 1.3.6"))
        # The same where bubblewrap can make no namespace.
        broken = stand_in.with_name("bwrap")
        broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
        broken.chmod(0o755)
        self.study_in(self.root, ("cache: true", "cache: false"))
        done = self.etude("run", "study.yaml", "-j", "2", "-o", self.dir / "walls", env=env)
        self.assertIn("jobs are held by the namespaces of Apptainer", done.stderr)
        study = self.json("show", "s2")
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))
        self.assertIn("**walls**: the namespaces of Apptainer", (self.dir / "walls/report.md").read_text())
        self.study_in(self.root, ("resources: {", "resources: {sandbox: require, "))
        self.assertIn("`resources.sandbox` is `require`", self.etude("run", "study.yaml", env=env, code=3).stderr)

    @unittest.skipUnless(APPTAINER, "Apptainer is not installed")
    def test_an_image_that_apptainer_built(self):
        subprocess.run([APPTAINER, "build", self.tmp / "built.sif", self.root], check=True, capture_output=True)
        for sandbox in ("auto", "none"):
            self.study_in(self.tmp / "built.sif", ("resources: {", f"resources: {{sandbox: {sandbox}, "),
                          ("cache: true", "cache: false"))
            study = self.run_study("-j", "2", "-o", self.dir / sandbox)
            self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))


if __name__ == "__main__":
    unittest.main()
