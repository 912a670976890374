"""Test cases for studies on a real Slurm, which has two nodes. ETUDE_SLURM_LONG: also what takes minutes."""
import glob
import json
import os
import pathlib
import subprocess
import unittest

import slurm_cluster
from harness import EtudeTest, until

LONG = os.environ.get("ETUDE_SLURM_LONG")

# Tells what a job sees of Slurm.
JOB = '''
import os, sys
arm, seed = sys.argv[1], int(sys.argv[2])
value = {"slow": 10.0, "fast": 4.0}[arm] + seed % {"slow": 997, "fast": 1009}[arm] / 1000
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
print("of Slurm:", sorted(name for name in os.environ if name.startswith(("SLURM", "SBATCH"))))
'''

STUDY = '''
etude: 1
title: On a cluster
question: Is fast cheaper than slow?
run: python3 -S job.py {arm} {seed}
factors:
  arm: {levels: [slow, fast], baseline: slow}
metrics:
  cost: {unit: s, goal: minimize, primary: true}
hypotheses:
  - id: H1
    statement: Fast costs less than half of slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less, margin: {relative: 0.5}}
  - id: H2
    statement: Fast costs more than slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: greater}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m}
'''


def needs_accounting(case):
    """Skips the class where it is not asked for, or slurmdbd or MariaDB is missing."""
    why = "takes minutes: `make soak` runs it" if not LONG else slurm_cluster.missing(slurm_cluster.OF_ACCOUNTING)
    return unittest.skipIf(why, why)(case)


class SlurmCase(EtudeTest):
    cluster_options = {}

    @classmethod
    def setUpClass(cls):
        why = slurm_cluster.missing()
        if why:
            raise unittest.SkipTest(why)
        cls.cluster = slurm_cluster.Cluster(**cls.cluster_options)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.end)

    def setUp(self):
        super().setUp()
        self.shared = self.tmp / "shared"
        self.shared.mkdir()
        self.config = self.tmp / "config.yaml"
        self.configure()

    def configure(self, **more):
        settings = {"use": "slurm", "slurm": {"shared": str(self.shared), **more}}
        self.config.write_text("executors: " + json.dumps(settings) + "\n")

    def command(self, *args):
        return [*super().command("--config", self.config, *args)]

    def etude(self, *args, **kw):
        return super().etude(*args, env=kw.pop("env", self.cluster.environment()), **kw)

    def popen(self, *args):
        """A kernel that tells in the file `said` what it says."""
        with open(self.tmp / "said", "w") as said:
            kernel = subprocess.Popen(self.command(*args), cwd=self.dir, env=self.cluster.environment(),
                                      stdout=said, stderr=subprocess.PIPE, text=True)
        self.addCleanup(kernel.stderr.close)
        self.addCleanup(kernel.wait)
        self.addCleanup(kernel.kill)
        return kernel

    def left(self):
        """Files of launches that are still in home or shared folder."""
        return [path for root in (self.home / "runs", *self.shared.glob("etude-*/runs")) for path in root.rglob("*")
                if path.is_file()]


class Waiting(SlurmCase):
    """A study whose first attempts wait."""
    cluster_options = {"cpus": 4}

    WAITING = """
import os, sys, time
arm, seed = sys.argv[1], int(sys.argv[2])
attempt = int(os.environ["ETUDE_ATTEMPT"])
if attempt == 1:
    open(os.environ["ETUDE_CHECKPOINT"] + "/waits", "w").close()
    while not os.path.exists(os.environ["ETUDE_CHECKPOINT"] + "/go"):
        time.sleep(0.02)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write('{"name": "cost", "value": %f}\\n' % ({"slow": 10, "fast": 4}[arm] + seed % 99991 / 100000))
"""

    def setUp(self):
        super().setUp()
        # A job that still waits when its test ends must not be taken for one of the next.
        self.addCleanup(lambda: self.cluster.run("scancel", *self.cluster.jobs(), check=False))

    def waiting(self):
        """As `waiting` of the harness, which says why it is `glob.glob`."""
        files = glob.glob(f"{glob.escape(str(self.shared))}/etude-*/runs/*/*/waits")
        return [file.parent for file in map(pathlib.Path, files) if not (file.parent / "go").exists()]

    def begin(self, *args):
        self.study(STUDY.replace("min: 6, max: 6", "min: 3, max: 3"), self.WAITING)
        return self.popen("run", "study.yaml", *(args or ("-j", "1")))

    def newest(self):
        jobs = self.cluster.run("squeue", "-h", "-t", "R", "-o", "%i %N").split()
        return jobs[0], jobs[1]

    def first_ends(self):
        """The first run after Slurm has ended it."""
        def ended():
            runs = self.lines("runs", "s1")
            return runs and runs[0]["state"] not in ("queued", "starting", "running") and runs[0]
        return until(ended)

    def resume_nodes(self):
        """As an administrator does: a node that is asked to start a job of a number that it still knows is drained."""
        if "Duplicate jobid" in self.cluster.run("sinfo", "-h", "-R", check=False):
            self.cluster.run("scontrol", "update", "NodeName=n1,n2", "State=RESUME", check=False)

    def finish(self, kernel):
        """Lets all runs go on; the runs of the study, which ends well."""
        def ended():
            self.release()
            self.resume_nodes()
            return kernel.poll() is not None
        until(ended, tell=lambda: f"{self.lines('runs', 's1')}\n{self.cluster.jobs()}\n{(self.tmp / 'said').read_text()}")
        self.assertEqual(kernel.returncode, 0, kernel.stderr.read())
        return self.lines("runs", "s1")
