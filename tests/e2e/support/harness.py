"""Drives the real binary in a temporary home. Standard library only."""
import contextlib
import glob
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import textwrap
import time
import unittest

ETUDE = pathlib.Path(os.environ.get("ETUDE", "build/etude")).resolve()
# Seconds until a test gives up. Only a failing test waits so long.
PATIENCE = 240
os.environ.pop("PYTHONPATH", None)  # It is for what tests import, not for what they start.
os.environ["LC_ALL"] = "C.UTF-8"  # In a locale without UTF-8, etude prints its marks in ASCII.
REAL_PATH = os.environ["PATH"]


def draw_pictures(really):
    """Whether gnuplot draws the figures of artifacts, or its stand-in, which takes no time (tests/fakes/gnuplot.c)."""
    fakes = ETUDE.parent / "fakes"
    os.environ["PATH"] = REAL_PATH if really or not fakes.exists() else f"{fakes}:{REAL_PATH}"


# A deterministic job: a value from factors and seed, some spread, no clock. Tests start thousands of such jobs, so
# Python starts without its site packages (-S: a third less time), and their line of metrics is written without the
# module json, whose import takes nearly as long as that start.
JOB = '''
import os, sys
arm, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
spread = ((seed * 2654435761 + n * 97) // {"slow": 7, "fast": 11}[arm] % 1000) / 1000.0
value = {"slow": 10.0, "fast": 4.0}[arm] * n + spread
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
print("arm", arm, "seed", seed, "cost", value)
'''

# One arm costs 10 less than the other two, with noise of about 1 from the arm and the seed.
NOISY_JOB = '''
import os, random, sys
arm, seed = sys.argv[1], int(sys.argv[2])
noise = random.Random(f"{arm} {seed}").gauss(0, 1)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    value = {"slow": 50, "fast": 40, "same": 50}[arm] + noise
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
'''

NOISY_STUDY = '''
etude: 1
title: Noisy arms
question: Which is cheaper?
run: python3 -S job.py {arm} {seed}
factors: {arm: {levels: [slow, fast, same], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
resources: {timeout: 10m, sandbox: none}
seeds: fixed
'''

STUDY = '''
etude: 1
title: Fast against slow
question: Is fast cheaper than slow?
run: python3 -S job.py {arm} {n} {seed}
factors:
  arm: {levels: [slow, fast], baseline: slow}
  n: {levels: [1, 2], type: int}
metrics:
  cost: {unit: s, goal: minimize, primary: true}
hypotheses:
  - id: H1
    statement: Fast costs less than half of slow.
    mechanism: it does less work
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less, margin: {relative: 0.5}}
  - id: H2
    statement: Fast costs more than slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: greater}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m}
budget: {runs: 100, wall: 10m}
'''


# Time-outs to try, in seconds: where a slow machine reaches one before the job that must not, the next one counts.
TIME_OUTS = (4, 16, 64, 256)


def waits(seed="", **levels):
    """First lines of a job: the run of this seed and these levels, by default any, waits for `EtudeTest.release`, in a
    sandbox, too."""
    return f'''
import json, os, time
if "{seed}" in ("", os.environ["ETUDE_SEED"]) and {levels!r}.items() <= json.load(open(os.environ["ETUDE_PARAMS"])).items():
    open(os.environ["ETUDE_CHECKPOINT"] + "/waits", "w").close()
    while not os.path.exists(os.environ["ETUDE_CHECKPOINT"] + "/go"):
        time.sleep(0.02)
'''


class EtudeTest(unittest.TestCase):
    maxDiff = None
    pictures = False  # See `draw_pictures`.
    on_disk = False  # Its folder lies in /tmp: jobs see nothing of /dev/shm, in which other tests may lie, or all of it.

    def setUp(self):
        draw_pictures(self.pictures)
        self.tmp = pathlib.Path(tempfile.mkdtemp(prefix="etude-e2e-", dir="/tmp" if self.on_disk else None))
        self.home = self.tmp / "home"
        self.dir = self.tmp / "study"
        self.dir.mkdir()

    def tearDown(self):
        shutil.rmtree(self.tmp, ignore_errors=True)

    def write(self, name, text, mode=0o644):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = textwrap.dedent(text).lstrip("\n")
        # Tests must not depend on chance: a study has fixed seeds unless it says `seeds: drawn`.
        if text.startswith("etude: 1\n") and "\nseeds:" not in text:
            text = text.rstrip("\n") + "\nseeds: fixed\n"
        path.write_text(text)
        path.chmod(mode)
        return path

    def study(self, text=STUDY, job=JOB):
        self.write("job.py", job)
        return self.write("study.yaml", text)

    def command(self, *args):
        return [str(ETUDE), "--home", str(self.home), *map(str, args)]

    def etude(self, *args, code=0, timeout=2 * PATIENCE, **kw):
        done = subprocess.run(self.command(*args), capture_output=True, text=True, timeout=timeout, cwd=self.dir, **kw)
        if code is not None:
            self.assertEqual(done.returncode, code, f"{args}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done

    def sound(self):
        """The artifact of the study in this folder passes every check, and the store verifies. Returns its folder."""
        ara = self.dir / "study-ara"
        checked = self.json("check", ara, "--strict", code=None)
        self.assertTrue(checked["ok"], checked["findings"])
        audited = self.json("audit", ara, code=None)
        self.assertEqual([f for f in audited["findings"] if f["severity"] != "info"], [])
        self.assertTrue(self.json("verify")["ok"])
        return ara

    def json(self, *args, code=0, **kw):
        return json.loads(self.etude(*args, "--json", code=code, **kw).stdout)

    def lines(self, *args, code=0, **kw):
        return [json.loads(line) for line in self.etude(*args, "--json", code=code, **kw).stdout.splitlines()]

    def run_study(self, *args, code=0, **kw):
        """The study shape that `run --json` prints last."""
        return self.lines("run", "study.yaml", *args, code=code, **kw)[-1]

    def in_browser(self, page, *options):
        """The content of a page after headless Chromium has loaded it. Any message on its console fails the test."""
        shown = subprocess.run(["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                                f"--user-data-dir={self.tmp}/profile", *options, f"file://{page}"],
                               capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotIn("CONSOLE", shown.stderr)
        return shown.stdout

    def count_events(self, kind, study):
        """Number of the study's events of that type, read from the store, because starting a process is much slower."""
        store = sqlite3.connect(f"file:{self.home}/etude.db?mode=ro", uri=True)
        with contextlib.closing(store):
            return store.execute("SELECT count(*) FROM events WHERE study = ? AND type = ?", (study, kind)).fetchone()[0]

    def run_of_launch(self):
        """The run's id for every launch on record, by what its job had as ETUDE_RUN; read from the store."""
        if not (self.home / "etude.db").exists():
            return {}
        store = sqlite3.connect(f"file:{self.home}/etude.db?mode=ro", uri=True)
        # A store that is being made, or that a killed kernel left, cannot be read at every moment.
        with contextlib.closing(store), contextlib.suppress(sqlite3.OperationalError):
            # A fork's log has the launches of its beginning, too, which are those of the study that it was made from.
            rows = store.execute("SELECT study, payload FROM events WHERE type = 'RunStarting' ORDER BY seq DESC").fetchall()
            launches = [(study, json.loads(payload)) for study, payload in rows]
            return {launch["token"][:12]: f"{study}-r{launch['run']}" for study, launch in launches}
        return {}

    def waiting(self):
        """Folders of the jobs that wait for `release`; `glob.glob` skips folders that the kernel removes meanwhile."""
        files = glob.glob(f"{glob.escape(str(self.home))}/runs/*/*/waits")
        return [file.parent for file in map(pathlib.Path, files) if not (file.parent / "go").exists()]

    def release(self):
        for folder in self.waiting():
            # The kernel may remove the folder of a job that has ended at any moment.
            with contextlib.suppress(FileNotFoundError):
                (folder / "go").touch()

    def release_one_by_one(self, number):
        """With one job at a time; returns when the next one waits, so that these have ended."""
        for _ in range(number):
            until(self.waiting)
            self.release()
        until(self.waiting)

    def release_until_end(self, kernel):
        until(lambda: self.release() or kernel.poll() is not None)

    def only_id(self):
        studies = self.json("ls")
        self.assertEqual(len(studies), 1)
        return studies[0]["id"]


def until(what, patience=PATIENCE, tell=lambda: "it did not happen in time"):
    """Waits until the function returns something true, and returns it. `tell` says what is known if it does not."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(tell())


def until_signal_is_taken(process, signal):
    """Waits until the process has taken a signal, so that the next one is not merged with it."""
    status = pathlib.Path("/proc", str(process.pid), "status")

    def taken():
        if process.poll() is not None:
            return True
        pending = [line.split()[1] for line in status.read_text().splitlines() if line.startswith(("SigPnd", "ShdPnd"))]
        return not any(int(mask, 16) >> (signal - 1) & 1 for mask in pending)

    until(taken)


def verdicts(study):
    return {h["id"]: h["verdict"] for h in study["hypotheses"]}
