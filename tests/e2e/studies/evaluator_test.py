"""Runs scored by an evaluator of their own: on data no job sees, after the job is gone, whatever the job tries."""
import collections
import os
import pathlib
import signal
import subprocess
import unittest

from harness import TIME_OUTS, EtudeTest, until, verdicts, waits

IDS = range(200)
LABELS = {"val.csv": lambda i: i * 7 % 11 % 2, "test.csv": lambda i: i * 5 % 13 % 2}

# Right in more of the cases by the good rule; it knows both rules of the labels, and neither file.
JOB = '''
import json, os, random, sys
rule, seed = sys.argv[1], int(sys.argv[2])
rng = random.Random(seed)
share = {"bad": 0.6, "good": 0.9}[rule]
truth = {"val.csv": lambda i: i * 7 % 11 % 2, "test.csv": lambda i: i * 5 % 13 % 2}
guesses = {name: [of(i) if rng.random() < share else 1 - of(i) for i in range(200)] for name, of in truth.items()}
with open(os.environ["ETUDE_OUTPUT"] + "/guesses.json", "w") as out:
    json.dump(guesses, out)
'''
EVALUATE = '''
import json, os, sys
name = sys.argv[1]
labels = [int(line) for line in open(name)]
guesses = json.load(open(os.environ["ETUDE_JOB_OUTPUT"] + "/guesses.json"))[os.path.basename(name)]
for path in (os.environ["ETUDE_JOB_OUTPUT"] + "/guesses.json", "evaluate.py", name, "new"):
    try:
        open(path, "a")
        sys.exit(path + " can be written")
    except OSError:
        pass
assert not [v for v in ("ETUDE_OUTPUT", "ETUDE_CHECKPOINT") if v in os.environ]
assert sum(os.path.exists(n) for n in ("val.csv", "secret/test.csv")) == 1, os.listdir()
assert os.environ["ETUDE_TIER"] == {"val.csv": "validation"}.get(name, "test")
assert json.load(open(os.environ["ETUDE_PARAMS"])).keys() == {"rule"} and os.environ["ETUDE_SEED"]
print("scored by", name)
acc = sum(a == b for a, b in zip(labels, guesses)) / len(labels)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "acc", "value": acc}) + "\\n")
'''
STUDY = '''
etude: 1
title: Scored where it cannot see
question: Does the good rule classify better?
run: python3 -S job.py {rule} {seed} EXTRA
factors:
  rule: {levels: [bad, good], baseline: bad}
metrics:
  acc: {goal: maximize, from: evaluator}
hypotheses:
  - id: H1
    statement: The good rule classifies better.
    test: {metric: acc, treatment: {rule: good}, control: {rule: bad}, direction: greater}
design: {replicates: {min: 4, max: 4}, pilot: 3}
evaluator:
  PROTECT
  validation: {command: python3 -S evaluate.py val.csv, data: [val.csv]}
  test: {command: python3 -S evaluate.py test.csv, data: [secret/test.csv]}
resources: {timeout: 10m, memory: 1G, sandbox: auto}
'''


class Evaluator(EtudeTest):
    def place(self, job=JOB, evaluate=EVALUATE, extra="", protect="protect: [evaluate.py]", **changes):
        self.write("job.py", job)
        self.write("evaluate.py", evaluate)
        # The study file names it below a folder; the evaluator finds it there.
        self.write("secret/test.csv", "".join(f"{LABELS['test.csv'](i)}\n" for i in IDS))
        self.write("val.csv", "".join(f"{LABELS['val.csv'](i)}\n" for i in IDS))
        text = STUDY.replace("EXTRA", extra).replace("PROTECT", protect)
        text = text.replace("evaluate.py test.csv", "evaluate.py secret/test.csv")
        for old, new in changes.get("edits", {}).items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write("study.yaml", text)

    def runs(self, study):
        return self.lines("runs", study["id"])

    def test_registered_runs_are_scored_by_the_test_data_once_and_all_others_by_the_validation_data(self):
        self.place()
        plan = self.json("plan", "study.yaml")
        self.assertEqual([(e["tier"], e["scores"]) for e in plan["evaluator"]],
                         [("validation", ["smoke", "pilot", "scratch"]), ("test", ["registered"])])
        self.assertIn("evaluate.py secret/test.csv", self.etude("plan", "study.yaml").stdout)
        tried = self.json("try", "study.yaml")
        self.assertEqual((tried["ok"], tried["tier"], list(tried["metrics"])), (True, "validation", ["acc"]), tried)

        study = self.run_study()
        self.assertEqual(verdicts(study), {"H1": "supported"})
        self.assertEqual(study["looks"], {"limit": 1, "used": 1, "earlier": []})
        self.assertEqual(study["integrity"], [])
        runs = self.runs(study)
        self.assertEqual({(r["purpose"], r["tier"]) for r in runs},
                         {("smoke", "validation"), ("repeat", "validation"), ("registered", "test")})
        self.assertEqual([r["state"] for r in runs], ["succeeded"] * len(runs))
        self.assertEqual({frozenset(r["metrics"]) for r in runs}, {frozenset(["acc"])})
        self.assertIn("scored by secret/test.csv", self.etude("run-log", next(r["id"] for r in runs if r["purpose"] == "registered")).stdout)
        # No copy of the workspace holds either file.
        frozen = [p.name for p in (self.home / "workspaces").rglob("*")]
        self.assertIn("evaluate.py", frozen)
        self.assertFalse({"val.csv", "test.csv"} & set(frozen), frozen)

        artifact = study["artifact"]
        self.assertEqual(self.json("check", artifact, "--strict")["findings"], [])
        self.assertTrue(self.json("audit", artifact)["ok"])
        self.assertEqual(self.json("verify")["ok"], True)
        self.assertIn("look 1 of 1", pathlib.Path(artifact, "report.md").read_text())
        # Elsewhere, without the files at their old place.
        os.rename(self.dir / "secret", self.dir / "gone")
        again = self.json("reproduce", artifact)
        self.assertEqual(again["outcome"], "reproduced", again)

    def test_a_pilot_is_scored_by_the_validation_data(self):
        self.place(edits={"{min: 4, max: 4}": "{min: 3, max: 4}"})
        study = self.run_study()
        self.assertEqual({(r["purpose"], r["tier"], r["state"]) for r in self.runs(study)},
                         {("smoke", "validation", "succeeded"), ("pilot", "validation", "succeeded"),
                          ("repeat", "validation", "succeeded"), ("registered", "test", "succeeded"), ("aa", "test", "succeeded")})

    def test_with_test_data_alone_only_registered_runs_are_scored(self):
        self.place(edits={"  validation: {command: python3 -S evaluate.py val.csv, data: [val.csv]}\n": ""})
        (self.dir / "val.csv").unlink()
        study = self.run_study()
        self.assertEqual(verdicts(study), {"H1": "supported"})
        self.assertEqual({(r["purpose"], r["tier"], r["state"], len(r["metrics"])) for r in self.runs(study)},
                         {("smoke", None, "succeeded", 0), ("registered", "test", "succeeded", 1)})
        # What they left differed, so the check has nothing to say.
        self.assertEqual(self.etude("log", study["id"]).stdout.count("manipulation check passed"), 0)
        found = [e["payload"] for e in self.lines("log", study["id"]) if e["type"] == "ManipulationChecked"]
        self.assertEqual(found, [{"skipped": False, "findings": []}])
        self.assertEqual(self.json("try", "study.yaml")["tier"], None)

    CHEAT = JOB + '''
import glob, subprocess, time
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write('{"name": "acc", "value": 1.0}\\n')
original = sys.argv[3]
places = ["val.csv", "test.csv", "secret/test.csv", original + "/val.csv", original + "/secret/test.csv",
          "/etude/data/val.csv", "/etude/test.csv", "../secret/test.csv", "/proc/self/cwd/val.csv"]
for root in glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/[0-9]*/cwd"):
    places += [root + "/val.csv", root + original + "/val.csv", root + original + "/secret/test.csv"]
for top in ("/etude", "/tmp", "/proc/1/root/etude"):
    places += [f + "/" + n for f, _, names in os.walk(top) for n in names if n in ("val.csv", "test.csv")]
found = []
for path in places:
    try:
        found.append(path + open(path).read(1))
    except OSError:
        pass
if found: sys.exit("leaked: " + " ".join(found))
for path in ("evaluate.py", "/etude/work/evaluate.py"):
    try:
        open(path, "w").write("print(1)")
    except OSError:
        pass
open("json.py", "w").write("raise SystemExit('the job wrote what the evaluator imports')")
subprocess.Popen([sys.executable, "-c", """
import os, time
os.setsid()
for _ in range(100):
    time.sleep(0.5)  # Not before the job's end, which is its own time.
    open(os.environ["ETUDE_OUTPUT"] + "/guesses.json", "w").write("{}")
    open(os.environ["ETUDE_METRICS"], "a").write('{"name": "acc", "value": 1.0}')
"""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, LATE="1")) if "late" in sys.argv else 0
'''

    def test_a_job_that_cheats_changes_nothing_and_is_found_out(self):
        for protect in ("protect: [evaluate.py]", ""):
            self.place(job=self.CHEAT, extra=str(self.dir) + " late", protect=protect)
            study = self.run_study()
            runs = self.runs(study)
            for run in runs:
                # A process that is left behind may get to its first line before it dies.
                if "the evaluator" in (run["reason"] or ""):
                    self.assertIn("exit status", run["reason"])
                    continue
                self.assertEqual(run["state"], "succeeded", run)
                self.assertEqual(run["ignored_metrics"], ["acc"])
                self.assertLess(run["metrics"]["acc"], 0.97)
            self.assertEqual(len(study["integrity"]), 1)
            self.assertIn("the evaluator's alone", study["integrity"][0]["message"])
            self.assertTrue(any("the evaluator's alone" in w for w in study["hypotheses"][0]["warnings"]))
            self.assertTrue(self.json("audit", study["artifact"])["ok"])
            self.assertIn("Integrity: jobs wrote acc", pathlib.Path(study["artifact"], "report.md").read_text())

    def test_a_link_in_the_outputs_to_what_only_the_evaluator_reads_is_not_followed(self):
        links = "\nos.symlink('/etude/work/val.csv', os.environ['ETUDE_OUTPUT'] + '/deep.csv')\n"
        self.place(job=JOB + links)
        tried = self.json("try", "study.yaml", code=1)
        self.assertIn("the evaluator (validation)", tried["reason"])
        self.assertIn("`deep.csv` is a link that leads out of its outputs", tried["reason"])
        inside = "\nos.symlink('guesses.json', os.environ['ETUDE_OUTPUT'] + '/best.json')\n"
        self.place(job=JOB + inside)
        self.assertTrue(self.json("try", "study.yaml")["ok"])

    def test_without_a_sandbox_the_data_are_still_in_no_copy(self):
        peek = "\nif [n for f in os.walk('.') for n in f[2] if n in ('val.csv', 'test.csv')]: sys.exit('seen')\n"
        # Nothing is read-only there.
        evaluate = EVALUATE.replace("for path in (", "for path in () and (")
        self.place(job=JOB + peek, evaluate=evaluate, edits={"sandbox: auto": "sandbox: none"})
        study = self.run_study()
        self.assertEqual(verdicts(study), {"H1": "supported"})
        self.assertEqual({r["state"] for r in self.runs(study)}, {"succeeded"})

    def test_an_evaluator_that_fails_fails_the_run_and_is_named(self):
        ends = {"import sys; sys.stderr.write('no labels\\n'); sys.exit(3)": "the evaluator (validation): exit status 3",
                "pass": "the evaluator wrote no metric that is declared `from: evaluator`"}
        for evaluate, reason in ends.items():
            self.place(evaluate=evaluate)
            tried = self.json("try", "study.yaml", code=1)
            self.assertEqual(tried["reason"], reason)
        for seconds in TIME_OUTS:
            self.place(evaluate="import time; time.sleep(1000)", edits={"timeout: 10m": f"timeout: {seconds}s"})
            tried = self.json("try", "study.yaml", code=1)
            if "the evaluator" in tried["reason"]:  # The job has the same time-out.
                break
        self.assertIn("the evaluator (validation): timed out after", tried["reason"])
        self.place(evaluate=list(ends)[0])
        study = self.run_study(code=1)
        run = next(r for r in self.runs(study) if r["state"] == "failed")
        self.assertRegex(run["reason"], r"^the evaluator \((test|validation)\): exit status 3")
        self.assertIn("no labels", self.etude("run-log", run["id"], "--stream", "stderr").stdout)

    def test_data_of_the_evaluator_that_change_make_its_runs_invalid(self):
        self.place(job=waits() + JOB)
        kernel = subprocess.Popen(self.command("run", "study.yaml", "-j", "1"), cwd=self.dir,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.release_one_by_one(5)  # Three smoke runs and two of the experiment.
        (self.dir / "secret/test.csv").write_text("".join("0\n" for _ in IDS))
        self.release_until_end(kernel)
        runs = [r for r in self.lines("runs", "s1") if r["purpose"] == "registered"]
        states = collections.Counter(r["state"] for r in runs)
        # One of the two may have been a repeat of a smoke run.
        self.assertEqual(states["succeeded"] + states["invalid"], 8)
        self.assertIn(states["succeeded"], (1, 2))
        self.assertIn("secret/test.csv is not what it was", next(r for r in runs if r["state"] == "invalid")["reason"])
        self.assertNotEqual(self.json("show", "s1")["hypotheses"][0]["verdict"], "supported")

    def test_what_must_not_be_seen_elsewhere_is_refused_before_anything_starts(self):
        self.place()
        copy = self.write("backup.csv", (self.dir / "val.csv").read_text())
        self.assertIn("`backup.csv` of the workspace has the same bytes", self.etude("run", "study.yaml", code=2).stderr)
        copy.unlink()
        # With the workspace elsewhere, what is named beside it is found by its spelling.
        (self.dir / "code/secret").mkdir(parents=True)
        (self.dir / "code/secret/test.csv").write_text("mine\n")
        for name in ("job.py", "evaluate.py"):
            os.rename(self.dir / name, self.dir / "code" / name)
        text = (self.dir / "study.yaml").read_text() + "workspace: code\n"
        (self.dir / "study.yaml").write_text(text)
        self.assertIn("has a `secret/test.csv` of its own", self.etude("run", "study.yaml", code=2).stderr)
        os.unlink(self.dir / "code/secret/test.csv")
        self.assertTrue(self.json("try", "study.yaml")["ok"])

    def test_the_test_data_are_looked_at_as_often_as_the_study_says_forks_included(self):
        self.place()
        study = self.run_study()
        events = self.lines("log", study["id"])
        # Events of one time may be of one decision, which is not cut in two.
        registered = next(e for e in events if e["type"] == "ExperimentRegistered")
        before = max(e["seq"] for e in events if e["time"] < registered["time"])
        fork = self.json("fork", study["id"], "--at", before)["id"]
        self.assertEqual(self.json("show", fork)["looks"], {"limit": 1, "used": 1, "earlier": []})
        self.etude("resume", fork, code=4)
        shown = self.json("show", fork)
        self.assertEqual((shown["state"], shown["reason"]), ("paused", "looks"))
        self.assertIn("the test data have scored 1 of at most 1 experiment", shown["detail"])
        self.assertFalse([r for r in self.lines("runs", fork) if r["tier"] == "test"])
        # Another study may look at them, and says that it is not the first; a byte of code hides neither that nor what
        # was tested before.
        self.write("job.py", JOB + "# again\n")
        later = self.run_study("-o", str(self.dir / "later-ara"))
        self.assertEqual(later["looks"], {"limit": 1, "used": 1, "earlier": [{"study": study["id"], "looks": 1}]})
        self.assertEqual(later["hypotheses"][0]["predecessors"],
                         [{"study": study["id"], "hypothesis": "H1", "verdict": "supported", "other_code": True}])
        report = (self.dir / "later-ara/report.md").read_text()
        self.assertIn(f"one experiment of earlier studies of this home before ({study['id']})", report)
        self.assertIn("on other code, data or conditions: H1 of", report)
        self.assertEqual(self.json("audit", self.dir / "later-ara")["findings"], [])

    def test_a_kernel_killed_while_evaluators_run_loses_nothing_and_scores_nothing_twice(self):
        ledger, gates = self.tmp / "ledger", self.tmp / "gates"
        ledger.touch()
        gates.mkdir()
        # An evaluator waits for the gate of the round in which it begins.
        slow = f'''
import os, time
def say(word):
    with open({str(ledger)!r}, "a") as out: out.write(os.environ["ETUDE_RUN"] + word + chr(10))
say(" begins")
gate = {str(gates)!r} + "/" + open({str(gates / "round")!r}).read()
while not os.path.exists(gate): time.sleep(0.02)
say(" goes on")
'''
        self.place(evaluate=slow + EVALUATE.replace("for path in (", "for path in () and ("),
                   edits={"sandbox: auto": "sandbox: none"})

        def said(word):
            runs = self.run_of_launch()
            launches = [line.removesuffix(word) for line in ledger.read_text().splitlines() if line.endswith(word)]
            return [runs.get(launch, launch) for launch in launches]

        verb, kills = ["run", "study.yaml", "-j", "2"], 0
        while kills < 6:
            before = len(said(" begins"))
            (gates / "round").write_text(str(kills))
            kernel = subprocess.Popen(self.command(*verb), cwd=self.dir, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            # Killed while at least one evaluator is in the middle of its work.
            until(lambda: kernel.poll() is not None or len(said(" begins")) > before)
            kernel.send_signal(signal.SIGKILL)
            kernel.wait()
            (gates / str(kills)).touch()
            if kernel.returncode != -signal.SIGKILL: break
            until(lambda: len(said(" goes on")) == len(said(" begins")))
            kills += 1
            verb = ["resume", "-j", "2"]
        self.assertGreaterEqual(kills, 3)
        self.etude("resume", "s1", code=None)
        study = self.json("show", "s1")
        self.assertEqual(study["outcome"], "concluded")
        runs = self.lines("runs", "s1")
        counts = collections.Counter(said(" begins"))
        self.assertEqual({r: n for r, n in counts.items() if n > 1}, {})
        self.assertEqual(sorted(counts), sorted(r["id"] for r in runs if r["state"] == "succeeded"))
        self.assertEqual(len([r for r in runs if r["evidence"]]), 8)
        self.assertEqual({tuple(r["metrics"]) for r in runs if r["evidence"]}, {("acc",)})
        self.assertEqual(self.json("verify")["ok"], True)


if __name__ == "__main__":
    unittest.main()
