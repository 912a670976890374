"""Studies whose jobs wait until the test releases them, and kernels in processes of their own."""
import os
import pathlib
import subprocess
import tempfile
import time

from harness import PATIENCE, EtudeTest, until

# Lines of a job: it waits while the file HOLD is there, or until it can remove a ticket of it (`admit`).
HOLD = '''
import glob, os, time
def held():
    for ticket in glob.glob(HOLD + "-*"):
        try:
            os.unlink(ticket)
            return False
        except OSError:
            pass
    return os.path.exists(HOLD)
while held():
    time.sleep(0.02)
'''

# Counts its own starts in a file outside the store, and does not end before its `hold` lets it.
HELD_JOB = '''
import os, sys
arm, seed, HOLD, starts = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
with open(starts, "a") as out:
    out.write(f"{os.environ['ETUDE_RUN']} {os.environ['ETUDE_ATTEMPT']} {os.getpid()}\\n")
print("arm", arm, "seed", seed, flush=True)
''' + HOLD + '''value = {"slow": 10.0, "fast": 4.0}[arm] + seed % {"slow": 99991, "fast": 99989}[arm] / 1000000.0
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
'''

HELD_STUDY = '''
etude: 1
title: Study {name}
question: Is fast cheaper than slow?
run: python3 -S job.py {{arm}} {{seed}} {hold} {starts}
factors:
  arm: {{levels: [slow, fast], baseline: slow}}
metrics:
  cost: {{unit: s, goal: minimize, primary: true}}
hypotheses:
  - id: H1
    statement: Fast costs less than half of slow.
    test: {{metric: cost, treatment: {{arm: fast}}, control: {{arm: slow}}, direction: less, margin: {{relative: 0.5}}}}
  - id: H2
    statement: Fast costs more than slow.
    test: {{metric: cost, treatment: {{arm: fast}}, control: {{arm: slow}}, direction: greater}}
design: {{replicates: {{min: 3, max: 3}}}}
resources: {{timeout: 20m, sandbox: none}}
'''

# Waits for a person before its first run.
GATED_STUDY = HELD_STUDY + "gates: [{{on: hypotheses}}]\n"


def admit(hold, number):
    """Lets so many jobs pass that the file holds."""
    for _ in range(number):
        os.close(tempfile.mkstemp(prefix=hold.name + "-", dir=hold.parent)[0])


class HeldTest(EtudeTest):
    def setUp(self):
        super().setUp()
        self.starts = self.tmp / "starts"
        self.kernels = []

    def tearDown(self):
        for kernel in self.kernels:
            if kernel.poll() is None:
                kernel.kill()
            kernel.communicate()
        for hold in self.tmp.glob("*.hold"):
            hold.unlink()
        left = until_gone(self.job_processes)
        super().tearDown()
        self.assertEqual(left, [], "jobs outlived their test")

    def held(self, name, text=HELD_STUDY):
        """Makes a study with held jobs in a folder of its own; returns its study file."""
        folder = self.tmp / name
        folder.mkdir()
        (self.tmp / f"{name}.hold").touch()
        (folder / "job.py").write_text(HELD_JOB.lstrip())
        file = folder / "study.yaml"
        file.write_text(text.format(name=name, hold=self.tmp / f"{name}.hold", starts=self.starts).lstrip())
        return file

    def approve_gate_of(self, study):
        (gate,) = until(lambda: [gate for gate in self.json("gates", study) if not gate["decision"]])
        self.etude("approve", gate["id"])

    def let_go(self, *names):
        for name in names:
            (self.tmp / f"{name}.hold").unlink(missing_ok=True)

    def begin(self, *args):
        kernel = subprocess.Popen(self.command(*args), cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.kernels.append(kernel)
        return kernel

    def ended(self, kernel, code=0, timeout=PATIENCE):
        """Its output."""
        out, errors = kernel.communicate(timeout=timeout)
        self.assertEqual(kernel.returncode, code, out + errors)
        return out

    def started(self, study=None):
        """(run, attempt, pid) of every start of a job."""
        text = self.starts.read_text() if self.starts.exists() else ""
        runs = self.run_of_launch() if text else {}
        rows = [(runs.get(launch, launch), attempt, pid) for launch, attempt, pid in map(str.split, text.splitlines())]
        return [row for row in rows if study is None or row[0].startswith(study + "-")]

    def until_started(self, study, number=1):
        return until(lambda: len(self.started(study)) >= number and self.started(study))

    def id_of(self, name):
        """Waits until the study is open; returns its id."""
        return until(lambda: next((s["id"] for s in self.listed() if s["title"] == f"Study {name}"), None))

    def listed(self):
        return self.json("ls") if (self.home / "etude.db").exists() else []

    def job_processes(self):
        mark, found = str(self.starts).encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if mark in pathlib.Path("/proc", pid, "cmdline").read_bytes():
                    found.append(int(pid))
            except OSError:
                pass
        return found


def until_gone(processes, timeout=PATIENCE):
    """The processes that still exist after the time limit."""
    deadline = time.monotonic() + timeout
    while (left := processes()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
