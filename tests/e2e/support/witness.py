"""A job that records its starts and ends outside the store, and checks of these records."""
import collections
import fcntl
import os
import pathlib
import time

from harness import PATIENCE, EtudeTest, verdicts

# One line for each start and each end; `twice` where another process of the same cell and seed was still alive.
WITNESS_JOB = '''
import fcntl, os, sys, time
arm, seed, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def say(word):
    with open(folder + "/ledger", "a") as out:
        out.write(f"{os.environ['ETUDE_RUN']} {word} {os.getpid()}\\n")
alone = open(f"{folder}/alone-{arm}-{seed}", "w")
try:
    fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    say("twice")
say("start")
print("arm", arm, "seed", seed, flush=True)
time.sleep(PAUSE)
while os.path.exists(folder + "/hold"):
    time.sleep(0.02)
value = {"slow": 10.0, "fast": 4.0}[arm] + seed % {"slow": 997, "fast": 1009}[arm] / 10000.0
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
say("end")
'''

WITNESS_STUDY = '''
etude: 1
title: Seen from outside
question: Is fast cheaper than slow?
run: python3 -S job.py {arm} {seed} FOLDER
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
design: {replicates: {min: REPLICATES, max: REPLICATES}, smoke: false}
resources: {timeout: 20m, sandbox: none}
seeds: fixed
'''


class WitnessTest(EtudeTest):
    """Runs each study below `self.tmp` with its own home, study folder and folder of records."""

    def place(self, name, replicates=3, pause=0.0, study=WITNESS_STUDY):
        self.dir = self.tmp / name
        self.home = self.dir / "home"
        self.seen = self.dir / "seen"
        self.seen.mkdir(parents=True)
        self.study(study.replace("FOLDER", str(self.seen)).replace("REPLICATES", str(replicates)),
                   WITNESS_JOB.replace("PAUSE", str(pause)))

    def ledger(self):
        """(run, word) → count. A launch that is not on record stands for its run."""
        file = self.seen / "ledger"
        lines = [line.split() for line in (file.read_text().splitlines() if file.exists() else [])]
        runs = self.run_of_launch() if lines else {}
        return collections.Counter((runs.get(line[0], line[0]), line[1]) for line in lines)

    def outcome(self, study):
        """The results that must not depend on crashes."""
        evidence = sorted((r["seed"], r["factors"]["arm"], r["metrics"]["cost"])
                          for r in self.lines("runs", study["id"]) if r["evidence"])
        return study["outcome"], verdicts(study), evidence

    def check_whole(self, expected):
        """Checks that every run has one outcome, no attempt ran twice and no process is left; counts adoptions, voided launches and losses."""
        study = self.json("show", self.only_id())
        self.assertEqual(self.outcome(study), expected)
        runs = self.lines("runs", study["id"])
        counts = self.ledger()
        self.assertEqual([key for key in counts if key[1] == "twice"], [])
        self.assertEqual({key: n for key, n in counts.items() if n > 1}, {}, "an attempt started twice")
        for run in runs:
            if run["state"] == "succeeded":
                self.assertEqual(counts[(run["id"], "end")], 1, run["id"])
        events = self.lines("log", study["id"])
        ends = collections.Counter(e["payload"]["run"] for e in events if e["type"] == "RunEnded")
        self.assertEqual(ends, collections.Counter(run["number"] for run in runs))
        self.assertEqual({run["state"] for run in runs} - {"succeeded", "lost"}, set())
        self.check_nothing_left(study)
        return self.fates(events)

    def check_nothing_left(self, study):
        self.assertTrue(self.json("verify")["ok"])
        self.assertEqual(study["ledger"]["runs"]["reserved"], 0)
        self.assertEqual(self.carriers(), [])
        folders = [p for p in (self.home / "runs").rglob("*") if p.parent != self.home / "runs"]
        self.assertEqual(folders, [])
        self.assertEqual(list((self.home / "blobs/tmp").glob("*")), [])
        self.assertEqual([p for p in self.dir.iterdir() if p.name.startswith(".")], [])
        with open(self.home / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def carriers(self, patience=PATIENCE):
        """Jobs and supervisors of this study, found by its path in their environment or command, after a short wait."""
        mark, own = str(self.dir).encode(), os.getpid()
        deadline = time.monotonic() + patience
        while True:
            found = []
            for pid in filter(str.isdigit, os.listdir("/proc")):
                place = pathlib.Path("/proc", pid)
                try:
                    text = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
                except OSError:
                    continue
                if mark in text and int(pid) != own:
                    found.append(int(pid))
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.02)

    @staticmethod
    def fates(events):
        """The outcomes of the runs that were active when a kernel died."""
        live, orphans, fates = set(), set(), collections.Counter()
        for event in events:
            kind, payload = event["type"], event["payload"]
            if kind == "RunStarting":
                live.add(payload["run"])
            elif kind == "StudyResumed":
                orphans |= live
            elif kind in ("RunEnded", "RunRequeued"):
                run = payload["run"]
                live.discard(run)
                if run in orphans:
                    orphans.discard(run)
                    fate = "voided" if kind == "RunRequeued" else "lost" if payload["state"] == "lost" else "adopted"
                    fates[fate] += 1
        return fates
