"""environment.use with real tools: lines that activate, a virtual environment, uv, conda, modules."""
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile
import unittest
import zipfile

from harness import EtudeTest

PEERS = pathlib.Path(__file__).resolve().parents[2] / "peers/venv"
UV = PEERS / "bin/uv"
RATTLER = next(iter(PEERS.glob("lib/python3*/site-packages/rattler")), None)
MODULES = pathlib.Path("/usr/share/modules/init/bash")

# The metric is what a tool of the environment prints.
STUDY = """
etude: 1
title: Tools
question: Which tool is cheaper?
environment: {use: USE}
run: RUN
factors:
  tool: {levels: [a, b], baseline: b}
metrics:
  cost: {primary: true, deterministic: true}
design: {replicates: {min: 3, max: 3}}
resources: {timeout: 10m}
"""
SHELL_RUN = """'echo "{{\\"name\\": \\"cost\\", \\"value\\": $(scale {tool})}}" >> $ETUDE_METRICS'"""
SCALE = """#!/bin/sh
case $1 in a) echo $((5 * SCALE));; *) echo $((9 * SCALE));; esac
"""
JOB = """
import json, os, sys
import tinydep
value = {"a": 5, "b": 9}[sys.argv[1]] * tinydep.SCALE
open(os.environ["ETUDE_METRICS"], "a").write(json.dumps({"name": "cost", "value": value}) + "\\n")
"""


def wheel(path, version, scale):
    """A wheel with one module, made by hand."""
    files = {"tinydep.py": f"SCALE = {scale}\n",
             f"tinydep-{version}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: tinydep\nVersion: {version}\n",
             f"tinydep-{version}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    files[f"tinydep-{version}.dist-info/RECORD"] = "".join(f"{name},,\n" for name in files)
    with zipfile.ZipFile(path, "w") as out:
        for name, text in files.items():
            out.writestr(name, text)


def channel(folder, version, scale):
    """A channel of conda with one package: a program, and a script that activation runs."""
    files = {"bin/scale": SCALE.encode(), "etc/conda/activate.d/scale.sh": f"export SCALE={scale}\n".encode()}
    about = {"name": "scale", "version": version, "build": "0", "build_number": 0, "depends": [], "subdir": "noarch",
             "noarch": "generic"}
    paths = [{"_path": name, "path_type": "hardlink", "sha256": hashlib.sha256(data).hexdigest(),
              "size_in_bytes": len(data)} for name, data in files.items()]
    listed = "".join(name + "\n" for name in files)
    files |= {"info/index.json": json.dumps(about).encode(), "info/files": listed.encode(),
              "info/paths.json": json.dumps({"paths_version": 1, "paths": paths}).encode()}
    (folder / "noarch").mkdir(parents=True)
    package = folder / f"noarch/scale-{version}-0.tar.bz2"
    with tarfile.open(package, "w:bz2") as out:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o755
            out.addfile(entry, io.BytesIO(data))
    data = package.read_bytes()
    about |= {"md5": hashlib.md5(data).hexdigest(), "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    (folder / "noarch/repodata.json").write_text(json.dumps(
        {"info": {"subdir": "noarch"}, "packages": {package.name: about}, "packages.conda": {}, "removed": [],
         "repodata_version": 1}))


INSTALL = """
import asyncio, os, sys
from rattler import install, solve
async def main(channel, prefix, cache):
    records = await solve([channel], ["scale"], platforms=["noarch"])
    await install(records, target_prefix=prefix, cache_dir=cache, show_progress=False)
asyncio.run(main(*sys.argv[1:]))
os._exit(0)  # Its threads may still run when Python ends, and would abort it.
"""


class Environments(EtudeTest):
    on_disk = True

    def study_using(self, use, run=SHELL_RUN, more=""):
        self.write("study.yaml", STUDY.replace("USE", use).replace("RUN", run) + more)

    def costs(self, study):
        """The values that registered runs reported, by tool."""
        return {(r["factors"]["tool"], r["metrics"]["cost"]) for r in self.lines("runs", study["id"]) if r["evidence"]}

    def tool(self, folder, text=SCALE):
        path = self.tmp / folder / "bin/scale"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
        return path.parent

    def refusal(self, code, env=None, start=()):
        """What `run` says; nothing is started."""
        done = subprocess.run([*start, *self.command("run", "study.yaml")], capture_output=True, text=True,
                              cwd=self.dir, env=env)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertEqual(self.json("ls"), [])
        self.assertFalse((self.dir / "study-ara").exists())
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr

    def test_lines_are_run_once_recorded_and_compared(self):
        tools = self.tool("opt/scale-1")
        lines = f'{{activate: ["echo once >> {self.tmp}/ran", "export SCALE=3", "export PATH={tools}:$PATH"]}}'
        self.study_using(lines, more="cache: true\n")
        plan = self.json("plan", "study.yaml")
        self.assertEqual([one for one in plan["warnings"] if ": license: " not in one], [])
        self.assertIn("activate", plan["environment"]["use"])
        self.assertIn("programs: activated lines; run once when the study starts", self.etude("plan", "study.yaml").stdout)
        self.assertFalse((self.tmp / "ran").exists(), "`plan` ran the lines")

        first = self.run_study("-j", "2")
        self.assertEqual((first["outcome"], self.costs(first)), ("concluded", {("a", 15), ("b", 27)}))
        self.assertEqual((self.tmp / "ran").read_text(), "once\n")
        shown = self.json("show", first["id"])["environment"]
        digest = next(p["version"] for p in shown["programs"] if p["name"] == "environment")
        self.assertRegex(digest, "^activated lines, changes sha256:[0-9a-f]{64}$")
        self.assertIn("programs  activated lines, changes sha256:", self.etude("show", first["id"], "--all").stdout)
        self.assertIn(digest, (self.dir / "study-ara/report.md").read_text())
        self.assertTrue(self.json("check", self.dir / "study-ara", "--strict")["ok"])

        # The same changes are the same environment; others are another one, whose runs are run.
        again = self.run_study("-j", "2", "-o", self.dir / "again")
        self.assertEqual(again["runs"]["cached"], again["runs"]["total"])
        self.study_using(lines.replace("SCALE=3", "SCALE=4"), more="cache: true\n")
        other = self.run_study("-j", "2", "-o", self.dir / "other")
        self.assertEqual((other["runs"]["cached"], self.costs(other)), (0, {("a", 20), ("b", 36)}))

        # A reader's programs are compared with the recorded ones; an artifact's lines are never run.
        before = (self.tmp / "ran").read_text()
        env = os.environ | {"PATH": f"{self.tool('mine', SCALE.replace('SCALE))', '3))'))}:{os.environ['PATH']}"}
        report = self.json("reproduce", self.dir / "study-ara", "-j", "2", code=None, env=env)
        self.assertEqual(report["outcome"], "reproduced", report)
        difference = next(d for d in report["environment"] if d["what"] == "environment")
        self.assertEqual((difference["recorded"], difference["observed"]), (digest, "not recorded"))
        self.assertEqual((self.tmp / "ran").read_text(), before)

    def test_lines_that_fail_or_set_a_key_start_nothing(self):
        self.study_using('{activate: "export A=1; cat /nowhere/at/all"}')
        self.assertRegex(self.refusal(2), "study.yaml: environment.use: `cat /nowhere/at/all` failed with status 1: ")
        self.study_using('{activate: "export SOME_TOKEN=sesame"}')
        said = self.refusal(2)
        self.assertIn("it sets `SOME_TOKEN`, which looks as if it held a key", said)
        self.assertNotIn("sesame", said)

    @unittest.skipUnless(UV.exists(), "the package uv is not installed")
    def test_a_project_of_uv(self):
        env = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "VIRTUAL_ENV"))}
        env |= {"PATH": f"{UV.parent}:{os.environ['PATH']}", "UV_PYTHON": "/usr/bin/python3",
                "UV_CACHE_DIR": str(self.tmp / "cache")}
        wheel(self.tmp / "tinydep-1.0-py3-none-any.whl", "1.0", 3)
        project = """
            [project]
            name = "tools"
            version = "0.1.0"
            requires-python = ">=3.9"
            dependencies = ["tinydep"]
            [tool.uv.sources]
            tinydep = {path = "../tinydep-1.0-py3-none-any.whl"}
            """
        self.write("pyproject.toml", project)
        self.write("job.py", JOB)
        self.study_using("uv", "python job.py {tool}")
        self.assertIn("there is no uv.lock in", self.refusal(2, env))

        def uv(*words):
            subprocess.run([UV, *words, "--offline"], cwd=self.dir, env=env, check=True, capture_output=True)

        uv("lock")
        self.assertIn("create it: run `uv sync --frozen` in", self.refusal(2, env))
        uv("sync", "--frozen")
        self.assertIn("`uv` is not on PATH", self.refusal(3, env | {"PATH": "/usr/bin:/bin"}))

        lock = "uv, uv.lock sha256:" + hashlib.sha256((self.dir / "uv.lock").read_bytes()).hexdigest()
        self.assertEqual(self.json("plan", "study.yaml", env=env)["environment"]["found"], lock)
        study = self.run_study("-j", "2", env=env)
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))
        programs = {p["name"]: p for p in self.json("show", study["id"])["environment"]["programs"]}
        self.assertEqual((programs["environment"]["version"], programs["environment"]["path"]), (lock, str(self.dir / ".venv")))
        self.assertIn('"tinydep": "1.0"', json.dumps(self.lines("log", study["id"])[0]))

        # What is installed is not what the lock file says; then the lock file is not what the project says.
        installed = next((self.dir / ".venv/lib").glob("python3*/site-packages/tinydep-1.0.dist-info"))
        installed.rename(installed.with_name("tinydep-0.9.dist-info"))
        self.assertIn(".venv does not have what uv.lock says", self.etude("run", "study.yaml", code=2, env=env).stderr)
        self.write("pyproject.toml", project.replace('["tinydep"]', '["tinydep", "elsewhere"]'))
        self.assertIn("uv.lock does not fit pyproject.toml", self.etude("run", "study.yaml", code=2, env=env).stderr)

    @unittest.skipUnless(RATTLER, "the package py-rattler is not installed")
    def test_an_environment_of_conda(self):
        channel(self.tmp / "channel", "1.2", 3)
        place = self.tmp / "conda/envs/tools"
        subprocess.run([PEERS / "bin/python", "-c", INSTALL, (self.tmp / "channel").as_uri(), place, self.tmp / "cache"],
                       check=True, capture_output=True)
        env = {n: v for n, v in os.environ.items() if not n.startswith(("CONDA", "MAMBA"))}
        env |= {"HOME": str(self.tmp / "person"), "PATH": "/usr/bin:/bin"}
        self.study_using("'conda:tools'")
        self.assertIn("there is no conda here", self.refusal(3, env))
        env["CONDA_ENVS_PATH"] = str(self.tmp / "conda/envs")
        study = self.run_study("-j", "2", env=env)
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))
        programs = {p["name"]: p for p in self.json("show", study["id"])["environment"]["programs"]}
        self.assertEqual(programs["environment"]["path"], str(place))
        self.assertRegex(programs["environment"]["version"], "^conda, 1 package, sha256:[0-9a-f]{64}$")
        self.assertIn('"scale": "1.2 0"', json.dumps(self.lines("log", study["id"])[0]))

    @unittest.skipUnless(MODULES.exists(), "environment-modules is not installed")
    def test_modules(self):
        tools = self.tool("sw/scale-2.1")
        (self.tmp / "modules/scale").mkdir(parents=True)
        (self.tmp / "modules/scale/2.1").write_text(f"#%Module1.0\nprepend-path PATH {tools}\nsetenv SCALE 3\n")
        env = os.environ | {"MODULEPATH": str(self.tmp / "modules")}
        self.study_using("'module:scale/9'")
        self.assertIn("Unable to locate a modulefile for 'scale/9'", self.refusal(2, env))
        self.study_using("'module:scale/2.1'")
        # A machine without modules.
        hidden = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/usr/share/modules", "--tmpfs", "/etc/profile.d"]
        if subprocess.run([*hidden, "true"], capture_output=True).returncode == 0:
            self.assertIn("there is no command `module` on this machine", self.refusal(3, env, hidden))
        study = self.run_study("-j", "2", env=env)
        self.assertEqual((study["outcome"], self.costs(study)), ("concluded", {("a", 15), ("b", 27)}))
        programs = {p["name"]: p for p in self.json("show", study["id"])["environment"]["programs"]}
        self.assertEqual((programs["module scale"]["version"], programs["module scale"]["path"]),
                         ("2.1", str(self.tmp / "modules/scale/2.1")))


if __name__ == "__main__":
    unittest.main()
