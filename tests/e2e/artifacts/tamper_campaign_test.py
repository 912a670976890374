"""Whatever is changed in an artifact, the audit notices it if it is given the head that the study printed; of honest
artifacts it says nothing. ETUDE_TAMPERINGS=all (`make soak`) makes each kind of change to each kind of file, else a sample.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import unittest
import zipfile

from forgery import LOG, halve_costs
from harness import ETUDE, JOB, STUDY, EtudeTest
from tamperings import CHANGES, EVENT_CHANGES, SEAL, Tampering, apply, class_of, kinds_of_events, relog

ALL = os.environ.get("ETUDE_TAMPERINGS") == "all"
SEED = int(os.environ.get("ETUDE_SEED", "3"))
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "artifacts/fixtures"
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"

REFERENCES = '''
@article{hoare, author = {C. A. R. Hoare}, title = {Quicksort}, journal = {The Computer Journal}, year = {1962},
 doi = {10.1093/comjnl/5.1.10}}
@article{unused, author = {A. Nobody}, title = {A work that no text cites}, year = {2001}, doi = {10.1000/182}}
'''
# Some runs fail, with more output than the artifact shows and with some that it shows whole.
FAILING = JOB.replace("spread =", '''if (arm, n) == ("slow", 2) and seed % 5 == 0:
    print("no convergence\\n" * 9000)
    sys.exit("no convergence")
spread =''')
COMPARED = (STUDY.replace("mechanism: it does less work", "mechanism: 'it does less work [@hoare]'")
            .replace("design: {replicates: {min: 6, max: 6}}", "references: refs.bib\nevaluator: {protect: [job.py]}\n"
                     "design: {replicates: {min: 12, max: 12}}"))
SEARCHED = '''
etude: 1
title: A tuned job
question: Which rate is best?
kind: optimize
run: python3 -S job.py {rate} {steps} {seed}
factors:
  rate: {range: [1, 64], scale: log, type: int, baseline: 1}
  steps: {levels: [1, 3], type: int}
fidelity: {factor: steps, eta: 3}
metrics: {loss: {goal: minimize, primary: true}}
design: {replicates: {min: 2, max: 2}, confirm: {top: 1, replicates: 6}}
budget: {runs: 60, wall: 10m}
resources: {timeout: 10m}
'''
SEARCHED_JOB = '''
import os, random, sys
rate, steps, seed = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
value = abs(rate - 20) / steps + random.Random(seed).random()
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "loss", "value": {value}}}\\n')
'''
SCORED = '''
etude: 1
title: Scored where it cannot see
question: Does the good rule classify better?
run: python3 -S job.py {rule} {seed}
factors: {rule: {levels: [bad, good], baseline: bad}}
metrics: {acc: {goal: maximize, from: evaluator}}
hypotheses:
  - id: H1
    statement: The good rule classifies better.
    test: {metric: acc, treatment: {rule: good}, control: {rule: bad}, direction: greater}
design: {replicates: {min: 4, max: 4}}
evaluator:
  protect: [evaluate.py]
  test: {command: python3 -S evaluate.py labels.csv, data: [labels.csv]}
resources: {timeout: 10m, memory: 1G}
'''
SCORED_JOB = '''
import os, random, sys
rng = random.Random(int(sys.argv[2]))
share = {"bad": 0.6, "good": 0.9}[sys.argv[1]]
with open(os.environ["ETUDE_OUTPUT"] + "/guesses", "w") as out:
    out.write("".join(str(i % 2 if rng.random() < share else 1 - i % 2) for i in range(100)))
'''
EVALUATE = '''
import os, sys
labels = open(sys.argv[1]).read().split()
guesses = open(os.environ["ETUDE_JOB_OUTPUT"] + "/guesses").read()
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "acc", "value": {sum(a == b for a, b in zip(labels, guesses)) / len(labels)}}}\\n')
'''


class Ground:
    """An honest artifact, and the head that its study printed."""

    def __init__(self, name, artifact, head):
        self.name, self.artifact, self.head = name, pathlib.Path(artifact), head


class Maker(EtudeTest):
    """Makes the honest artifacts, in one home."""
    pictures = True

    def made(self, name, study, files, *before):
        self.dir = self.tmp / name
        self.dir.mkdir()
        for file, text in {"study.yaml": study, **files}.items():
            self.write(file, text)
        study = self.run_study("-j", "2")
        return Ground(name, study["artifact"], study["head"])

    def example(self, name):
        place = self.tmp / f"{name}-ara"
        study = self.lines("run", EXAMPLES / name / "study.yaml", "-j", "2", "-o", place)[-1]
        return Ground(name, place, study["head"])

    def fixture(self, archive, unpacked=False):
        """As an earlier program wrote it; nobody kept its head but the artifact itself."""
        with zipfile.ZipFile(archive) as files:
            seal = next(name for name in files.namelist() if name.split("/")[-1] == SEAL)
            head = json.loads(files.read(seal))["events"]["head"]
            if not unpacked:
                return Ground(archive.stem, archive, head)
            files.extractall(self.tmp / archive.stem)
        return Ground(archive.stem, (self.tmp / archive.stem / seal).parent, head)

    def compared(self, name, spread="1000.0", replicates=12):
        job = FAILING.replace("1000.0", spread)
        text = COMPARED.replace("min: 12, max: 12", f"min: {replicates}, max: {replicates}")
        return self.made(name, text, {"job.py": job, "refs.bib": REFERENCES})

    def reproduced(self, ground):
        place = self.tmp / "reproduced-ara"
        self.etude("reproduce", ground.artifact, "-j", "2", "-o", place, code=None)  # What it comes to is no matter here.
        return Ground("reproduced", place, json.loads((place / SEAL).read_text())["events"]["head"])

    def forged(self, ground, below):
        """What etude makes of costs that were halved before they were analysed: log, tables and pictures agree."""
        home, study = self.home, json.loads((ground.artifact / SEAL).read_text())["study"]["id"]
        self.home = self.tmp / f"forger-{below}"
        shutil.copytree(home, self.home, symlinks=True)
        cut = halve_costs(self.home, study, below)
        fork = self.json("fork", study, "--at", cut - 1)
        artifact = self.lines("resume", fork["id"])[-1]["artifact"]
        self.home = home
        return Ground(f"forged below {below}", artifact, ground.head)


def audit(artifact, head):
    done = subprocess.run([str(ETUDE), "audit", str(artifact), "--json", *(["--head", head] if head else [])],
                          capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    return done.returncode, {(f["severity"], f["rule"], f["file"], f["message"]) for f in report["findings"]}


class Tampered:
    def __init__(self, of, how, what, place, head):
        self.of, self.how, self.what, self.place, self.head = of, how, what, place, head

    def judge(self, honest):
        code, said = audit(self.place, self.head)
        new = said - honest
        worst = max((("info", "warning", "error", "critical").index(f[0]) for f in new), default=-1)
        self.noticed = "refused" if code else ("told", "warned", "warned", "warned", "unnoticed")[worst]
        order = sorted(new, key=lambda f: (-("info", "warning", "error", "critical").index(f[0]), f))
        self.rules = list(dict.fromkeys(f[1] for f in order))
        shutil.rmtree(self.place)
        return self


class Campaign(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.maker = maker = Maker("json")
        maker.setUp()
        cls.addClassCleanup(maker.tearDown)
        compared = maker.compared("compared")
        scored = maker.made("scored", SCORED, {"job.py": SCORED_JOB, "evaluate.py": EVALUATE, "labels.csv": "0\n1\n" * 50})
        cls.grounds, cls.forged = [compared, scored], maker.forged(compared, 7)
        cls.other = scored
        if ALL:
            cls.other = maker.compared("other", spread="900.0")
            cls.grounds += [maker.made("searched", SEARCHED, {"job.py": SEARCHED_JOB}), maker.reproduced(compared),
                            maker.fixture(FIXTURES / "amended.zip", True), maker.fixture(FIXTURES / "captured.zip", True)]

    def place(self):
        self.number = getattr(self, "number", 0) + 1
        return self.maker.tmp / f"tampered-{self.number}"

    def changes_of_files(self, rng):
        """(ground, file, change), each kind of file with each kind of change."""
        seen = set()
        for ground in self.grounds:
            by_class = collections.defaultdict(list)
            for file in Tampering.of(ground.artifact).files():
                by_class[class_of(file)].append(file)
            for name, members in sorted(by_class.items()):
                if name not in seen:
                    for change in CHANGES:
                        yield ground, rng.choice(members), change
            seen |= by_class.keys()

    def tampered_files(self, rng):
        plan = list(self.changes_of_files(rng))
        if not ALL:
            rng.shuffle(plan)
            chosen, classes, hows = [], set(), set()
            for step in plan:  # Each kind of file and each kind of change at least once.
                if class_of(step[1]) not in classes or step[2][0] not in hows:
                    chosen.append(step), classes.add(class_of(step[1])), hows.add(step[2][0])
            plan = chosen
        for ground, file, (how, change, sealing) in plan:
            copy = Tampering(ground.artifact, self.place())
            what = apply(change, sealing, copy, file, rng, Tampering.of(self.other.artifact))
            if what is None:
                shutil.rmtree(copy.root)
                continue
            yield Tampered(class_of(file), how, f"{ground.name}: {file}: {what}", copy.root, ground.head)

    def tampered_logs(self, rng):
        ground = self.grounds[0]
        kinds = kinds_of_events(Tampering.of(ground.artifact))
        plan = [(how, change, wanted) for wanted in kinds for how, change in EVENT_CHANGES]
        for how, change, wanted in plan if ALL else rng.sample(plan, 4):
            copy = Tampering(ground.artifact, self.place())
            what = change(copy, wanted, rng)
            if what is None:
                continue
            yield Tampered("event log", how, f"{ground.name}: {wanted}: {what}", copy.root, ground.head)

    def forgeries(self, rng):
        """Several files that agree with each other."""
        ground, forged = self.grounds[0], self.forged

        def copy(of=ground):
            return Tampering(of.artifact, self.place())

        def tampered(of, how, t):
            return Tampered(of, how, how, t.root, ground.head)

        yield tampered("whole artifact", "values halved before they were analysed, all made anew", copy(forged))
        yield tampered("whole artifact", "another study's artifact", copy(self.other))
        t = copy()
        for name in (SEAL, LOG):
            (t.root / name).unlink()
        yield tampered("whole artifact", "etude.json and event log deleted", t)
        theirs = Tampering.of(forged.artifact)
        for how, wanted in (("pictures and their data of forged values", ("pictures (SVG)", "pictures (PNG)", "data of figures (CSV)")),
                            ("tables, points and pictures of forged values",
                             ("points (CSV)", "results (CSV)", "data of figures (CSV)", "pictures (SVG)", "pictures (PNG)",
                              "pages of evidence")),
                            ("pages of forged values", ("PAPER.md and README.md", "claims and other pages of logic/", "report",
                                                        "exploration tree"))):
            t = copy()
            for name in theirs.files():
                if class_of(name) in wanted:
                    t.put(name, theirs.bytes(name))
            t.seal()
            yield tampered("several files", how, t)
        t = copy()  # The log of forged values, with the tables, points and pictures of it, below the honest pages.
        for name in theirs.files():
            if class_of(name) in ("event log", "etude.json", "points (CSV)", "results (CSV)", "data of figures (CSV)",
                                  "pictures (SVG)", "pictures (PNG)"):
                t.put(name, theirs.bytes(name))
        t.seal()
        yield tampered("several files", "log, tables, points and pictures of forged values", t)
        t = copy()  # A picture replaced together with its hash in the log.
        png = next(n for n in t.files() if class_of(n) == "pictures (PNG)")
        old, new = t.bytes(png), theirs.bytes(next(n for n in theirs.files() if n.endswith(".png") and theirs.bytes(n) != t.bytes(png)))
        t.put(png, new)
        lines = [line.replace(hashlib.sha256(old).hexdigest(), hashlib.sha256(new).hexdigest())
                 .replace(f'"bytes":{len(old)},', f'"bytes":{len(new)},') for line in t.text(LOG).splitlines()]
        relog(t, lines)
        yield tampered("several files", "a picture and its hash in the log", t)
        scored = self.grounds[1]
        t = copy(scored)
        labels = next(n for n in t.files() if class_of(n) == "evaluator's data")
        t.put(labels, t.bytes(labels).replace(b"0", b"1"))
        t.seal()
        yield Tampered("evaluator's data", "the labels of the test", f"scored: {labels}", t.root, scored.head)
        t = copy()
        long = next(n for n in t.files() if class_of(n) == "logs of runs" and t.bytes(n).startswith(b"["))
        t.put(long, t.bytes(long).replace(b"no convergence", b"ok convergence"))
        t.seal()
        yield tampered("logs of runs", "the shown end of a long log", t)
        page = "\n## RW{0:02}: A work that nobody wrote\n- **DOI**: {1}\n- **Type**: imports\n- **Delta**:\n  - What changed: all.\n" \
               "  - Why: it is invented.\n- **Claims affected**: C01\n- **Adopted elements**: none\n"
        for how, doi in (("an invented work", "10.9999/not-there"), ("an invented work without a DOI", "none"),
                         ("a work whose DOI is none", "doi:soon")):
            t = copy()
            t.write("logic/related_work.md", t.text("logic/related_work.md") + page.format(2, doi))
            t.seal()
            yield tampered("related work", how, t)
        t = copy()
        t.write("logic/related_work.md", t.text("logic/related_work.md").replace("10.1093/comjnl/5.1.10", "10.1093/comjnl/5.1.11"))
        t.seal()
        yield tampered("related work", "another DOI", t)
        t = copy()
        t.write("logic/claims.md", t.text("logic/claims.md") + "\nIn all we saw 99 % less.\n")
        yield tampered("claims and other pages of logic/", "a sentence added where people may annotate", t)
        for place in ("logic/solution/method.md", "data/more.csv", "trace/sessions/one.md", "level2_report.json", "trajectory.html",
                      "staging/more.yaml", "rubric/r.md", "LICENSE", "notes.txt"):
            t = copy()
            t.put(place, b"x: 1\n")
            yield tampered("files elsewhere", f"{place} added", t)
        t = copy()
        t.put("PAPER.md", t.bytes("PAPER.md").replace(b"\n", b"\r\n"))
        yield tampered("PAPER.md and README.md", "other ends of lines", t)
        t = copy()
        t.put("logic/claims.md", t.bytes("logic/claims.md").replace(b"\n\n", b"\n", 1))
        yield tampered("claims and other pages of logic/", "an empty line less", t)
        t = copy()
        t.put("logic/claims.md", t.bytes("logic/claims.md") + b"\n\n")
        yield tampered("claims and other pages of logic/", "empty lines more", t)
        t = copy()
        seal = json.loads(t.text(SEAL))
        seal["tool"] = "etude 0.0.1"
        t.write(SEAL, json.dumps(seal, indent=1))
        yield tampered("etude.json", "another version", t)

    def test_what_is_changed_is_noticed(self):
        rng = random.Random(SEED)
        honest = {}
        for ground in self.grounds:
            _, honest[ground.head] = audit(ground.artifact, ground.head)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            work = []
            for source in (self.tampered_files(rng), self.tampered_logs(rng), self.forgeries(rng)):
                work += [pool.submit(t.judge, honest[t.head]) for t in source]
            done = [future.result() for future in work]
        print_table(done)
        self.assertEqual([(t.of, t.how, t.what) for t in done if t.noticed == "unnoticed"], [])
        # What is only told, people may do.
        self.assertEqual([(t.of, t.how, t.what) for t in done if t.noticed != "refused" and t.of not in OF_PEOPLE
                          and t.how not in ("file added, list too", "another version")], [])
        self.assertEqual([t.how for t in done if t.of == "related work" and t.how.startswith(("an invented", "a work"))
                          and "unrecorded-work" not in t.rules], [])

    def test_of_honest_artifacts_nothing_is_said(self):
        grounds, maker = list(self.grounds), self.maker
        if ALL:
            grounds += [self.other, *(maker.compared(f"of-{n}", replicates=n) for n in (3, 5, 8, 16)),
                        *map(maker.example, sorted(path.name for path in EXAMPLES.iterdir())),
                        *(maker.fixture(path) for path in sorted(FIXTURES.glob("*.zip"))
                          if path.stem not in ("amended", "captured"))]
            self.assertGreaterEqual(len(grounds), 20)
        alarms = {}
        for ground in grounds:
            code, said = audit(ground.artifact, ground.head)
            if code or any(f[0] in ("error", "critical") for f in said):
                alarms[ground.name] = said
        print(f"\n{len(grounds)} honest artifacts, {len(alarms)} false alarms")
        self.assertEqual(alarms, {})


OF_PEOPLE = {"PAPER.md and README.md", "CITATION.cff, codemeta.json", "related work", "claims and other pages of logic/",
             "exploration tree", "pages on data and notes", "files elsewhere"}


def print_table(done):
    rows = collections.defaultdict(list)
    for t in done:
        rows[t.of].append(t)
    print(f"\n{'kind of file':34} tried refused warned told unnoticed  by")
    for of, some in rows.items():
        count = collections.Counter(t.noticed for t in some)
        rules = collections.Counter(t.rules[0] for t in some if t.rules)
        print(f"{of:34} {len(some):5} {count['refused']:7} {count['warned']:6} {count['told']:4} {count['unnoticed']:9}  "
              + ", ".join(rule for rule, _ in rules.most_common(4)))
    print(f"{'all':34} {len(done):5}")
    for t in done:
        if t.noticed not in ("refused", "told"):
            print(f"  {t.noticed}: {t.of}: {t.how}: {t.what} {t.rules}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
