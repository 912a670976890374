"""A study from question to artifact, and what may happen on the way."""
import csv
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from harness import JOB, PATIENCE, STUDY, TIME_OUTS, EtudeTest, until, until_signal_is_taken, verdicts, waits


class Lifecycle(EtudeTest):
    def test_a_study_reaches_its_verdicts_and_its_artifact(self):
        self.study()
        study = self.run_study("-j", "2")
        self.assertEqual(study["state"], "ended")
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        h1 = study["hypotheses"][0]
        self.assertLess(h1["effect"], 0)
        self.assertLess(h1["interval"][0], h1["effect"])
        self.assertGreater(h1["interval"][1], h1["effect"])
        self.assertEqual((h1["n"], h1["reading"]["runs"]), ([6, 6], [12, 12]))
        self.assertEqual(study["runs"]["succeeded"], study["runs"]["total"])
        self.assertTrue(self.json("verify")["ok"])
        artifact = pathlib.Path(study["artifact"])
        self.assertEqual(artifact, self.dir / "study-ara")
        check = self.json("check", artifact, "--strict")
        self.assertTrue(check["ok"], check)
        self.assertEqual((check["errors"], check["warnings"]), (0, 0))
        etude = json.loads((artifact / "etude.json").read_text())
        for path, digest in etude["files"].items():
            self.assertEqual(hashlib.sha256((artifact / path).read_bytes()).hexdigest(), digest, path)
        self.assertEqual(etude["events"]["head"], study["head"])

    @unittest.skipUnless(shutil.which("ara"), "the format's own checker, `ara`, is not installed")
    def test_the_formats_own_checker_finds_nothing(self):
        self.study()
        said = subprocess.run(["ara", "check", "--strict", self.run_study()["artifact"]], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_effect_and_interval_agree_with_the_raw_runs(self):
        self.study()
        study = self.run_study()
        runs = [r for r in self.lines("runs", study["id"]) if r["evidence"]]
        self.assertEqual(len(runs), 24)
        mean = lambda arm: sum(r["metrics"]["cost"] for r in runs if r["factors"]["arm"] == arm) / 12
        self.assertAlmostEqual(study["hypotheses"][0]["effect"], mean("fast") - mean("slow"), places=9)
        rows = list(csv.DictReader((self.dir / "study-ara/evidence/results/E01.csv").open()))
        registered = [r for r in self.lines("runs", study["id"]) if r["experiment"] == "E01"]
        self.assertEqual(len(rows), len(registered))

    def test_the_same_study_twice_draws_other_seeds_and_with_fixed_ones_repeats_them(self):
        seeds = lambda s: [(r["factors"], r["seed"]) for r in self.lines("runs", s["id"])]
        self.study(STUDY + "seeds: drawn\n")
        first = self.run_study()
        second = self.run_study("-o", self.dir / "other-ara")
        self.assertFalse({seed for _, seed in seeds(first)} & {seed for _, seed in seeds(second)})
        self.study(STUDY + "seeds: fixed\n")
        first = self.run_study()
        second = self.run_study("-o", self.dir / "other-ara")
        self.assertEqual(verdicts(first), verdicts(second))
        self.assertEqual(seeds(first), seeds(second))

    def test_an_artifact_that_a_later_study_replaced_is_no_longer_shown_as_the_first_ones(self):
        self.study()
        first = self.run_study()
        self.assertEqual(self.json("check", first["id"]), self.json("check", first["artifact"]))
        again = self.etude("run", "study.yaml")
        self.assertIn(f"this study's artifact will replace that of study {first['id']}; to keep both, give a folder with -o", again.stderr)
        ids = [study["id"] for study in self.json("ls")]
        place = str(self.dir / "study-ara")
        gone = f"{place} has that of study {ids[1]} now; `etude artifact {ids[0]} -o DIR` writes it again"
        self.assertEqual([self.json("show", one)["artifact"] for one in ids], [None, place])
        self.assertIsNone(self.json("show", ids[0])["report"])
        for options in ([], ["--all"]):
            self.assertIn(gone, " ".join(self.etude("show", ids[0], *options).stdout.split()))
        for verb in (["check"], ["audit"], ["ara", "ask"], ["reproduce"]):
            refused = self.etude(*verb, ids[0], *(["what failed?"] if "ask" in verb else []), code=2)
            self.assertIn(gone, refused.stderr)
        self.assertTrue(self.json("audit", ids[1])["ok"])
        self.etude("artifact", ids[0], "-o", self.dir / "first-ara")
        self.assertTrue(self.json("audit", self.dir / "first-ara")["ok"])
        shutil.rmtree(place)
        self.assertEqual(self.json("show", ids[1])["artifact"], place)
        self.assertIn(place, self.etude("check", ids[1], code=2).stderr)

    def test_plain_output_names_the_study_first_and_ends_with_paths(self):
        self.study()
        out = self.etude("run", "study.yaml").stdout
        self.assertRegex(out.splitlines()[0], r"^study s\d+: Fast against slow")
        self.assertIn("supported", out)
        self.assertIn("refuted", out)
        self.assertIn(str(self.dir / "study-ara"), out)

    def test_killed_in_the_middle_the_study_goes_on_and_ends_as_if_nothing_had_been(self):
        starts = self.dir / "starts"
        job = JOB.replace("import os, sys", f"import os, sys\nopen({str(starts)!r}, 'a').write(os.environ['ETUDE_RUN'] + '\\n')") + waits(1003387480, arm="slow", n=2)
        self.study(STUDY.replace("timeout: 10m", "timeout: 10m, sandbox: none"), job)
        kernel = subprocess.Popen(self.command("run", "study.yaml", "-j", "2"), cwd=self.dir, stdout=subprocess.DEVNULL)
        until(self.waiting)
        self.assertEqual(self.json("ls")[0]["owner"], kernel.pid)
        kernel.send_signal(signal.SIGKILL)
        kernel.wait()
        self.assertIsNone(self.json("show", self.only_id())["owner"])
        self.assertIn("stopped", self.etude("ls").stdout)
        self.release()
        study = self.lines("resume")[-1]
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        runs = self.run_of_launch()
        names = [runs[launch] for launch in starts.read_text().split()]
        self.assertEqual(len(names), len(set(names)), "an attempt started twice")
        evidence = [(json.dumps(r["factors"]), r["seed"]) for r in self.lines("runs", study["id"]) if r["evidence"]]
        self.assertEqual(len(evidence), 24)
        self.assertEqual(len(set(evidence)), 24)
        self.assertTrue(self.json("verify")["ok"])

    def begun_study(self):
        """A kernel whose study has a job that runs, until it is released."""
        self.study(job=waits(1203036573, arm="slow", n=1) + JOB)
        kernel = subprocess.Popen(self.command("run", "study.yaml"), cwd=self.dir, stdout=subprocess.DEVNULL)
        until(self.waiting)
        until(lambda: "running" in {run["state"] for run in self.lines("runs", self.only_id())})
        return kernel

    def test_a_closing_terminal_leaves_and_resume_adopts(self):
        kernel = self.begun_study()
        kernel.send_signal(signal.SIGHUP)  # a terminal that closes; SIGTERM does the same
        self.assertEqual(kernel.wait(timeout=PATIENCE), 130)
        self.release()
        study = self.lines("resume")[-1]
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        self.assertEqual(study["runs"]["lost"], 0)

    def test_first_interrupt_waits_for_running_jobs(self):
        kernel = self.begun_study()
        kernel.send_signal(signal.SIGINT)
        until_signal_is_taken(kernel, signal.SIGINT)
        self.release()
        self.assertEqual(kernel.wait(timeout=PATIENCE), 130)
        ident = self.only_id()
        states = {r["state"] for r in self.lines("runs", ident)}
        self.assertFalse(states & {"running", "starting"}, states)
        study = self.lines("resume")[-1]
        self.assertEqual(study["outcome"], "concluded")

    def test_a_run_budget_pauses_with_exit_4_and_resume_goes_on(self):
        self.study(STUDY.replace("runs: 100", "runs: 10"))
        study = self.run_study(code=4)
        self.assertEqual((study["state"], study["reason"]), ("paused", "budget"))
        self.assertEqual(study["ledger"]["runs"]["spent"], 10)
        self.assertIsNone(study["hypotheses"][0]["verdict"])
        self.assertIsNone(study["hypotheses"][0]["effect"])
        study = self.lines("resume", study["id"], "--budget", "runs=100")[-1]
        self.assertEqual(study["outcome"], "concluded")

    def test_nothing_of_a_registered_run_is_shown_before_the_analysis(self):
        self.study(STUDY.replace("runs: 100", "runs: 20"))
        study = self.run_study(code=4)
        registered = [r for r in self.lines("runs", study["id"]) if r["experiment"] and r["state"] == "succeeded"]
        self.assertTrue(registered)
        for run in registered:
            self.assertTrue(all(value is None for value in run["metrics"].values()), run)

    def test_an_output_folder_that_is_not_ours_is_refused_and_untouched(self):
        self.study()
        other = self.dir / "study-ara"
        other.mkdir()
        (other / "thesis.txt").write_text("years of work")
        refused = self.etude("run", "study.yaml", code=2)
        self.assertIn("study-ara", refused.stderr)
        self.assertEqual((other / "thesis.txt").read_text(), "years of work")
        self.assertEqual(self.json("ls"), [])

    def test_reproduce_answers_per_claim(self):
        self.study()
        self.run_study()
        result = self.json("reproduce", self.dir / "study-ara", "-j", "2")
        self.assertEqual(result["outcome"], "reproduced")
        self.assertEqual({c["id"]: c["outcome"] for c in result["claims"]}, {"C01": "reproduced", "C02": "reproduced"})

    def test_an_edited_number_is_found_by_check(self):
        self.study()
        self.run_study()
        results = self.dir / "study-ara/evidence/results/E01.csv"
        os.chmod(results, 0o644)
        results.write_text(results.read_text().replace("fast", "fist", 1))
        self.json("check", self.dir / "study-ara", code=1)


class Jobs(EtudeTest):
    """Every way a job can behave, in one study: each run its typed outcome, and the study goes on."""

    STUDY = '''
etude: 1
title: Behaviours
question: What becomes of each job?
run: python3 -S job.py {kind} {seed}
factors:
  kind: {levels: [good, exit1, signal, noisy, nan, nothing, malformed, fills, forks, memory], baseline: good}
metrics:
  x: {unit: s, primary: true}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 20m, memory: 200M, disk: 20M}
'''
    JOB = '''
import json, os, signal, subprocess, sys, time
kind, seed = sys.argv[1], int(sys.argv[2])
def metric(value):
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        out.write(json.dumps({"name": "x", "value": value}) + "\\n")
if kind == "good": metric(1.0 + seed % 10)
if kind == "exit1": metric(1.0); sys.exit(1)
if kind == "signal": metric(1.0); os.kill(os.getpid(), signal.SIGSEGV)
if kind == "hang":
    subprocess.Popen([sys.executable, "-c", "import signal,time,os; os.setsid(); signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
    signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)
if kind == "noisy":
    metric(1.0 + seed % 7)
    block = b"y" * 1_000_000
    for _ in range(1000): os.write(1, block)
if kind == "nan": metric(float("nan"))
if kind == "malformed":
    with open(os.environ["ETUDE_METRICS"], "ab") as out: out.write(b"not json\\n{\\xff\\xfe}\\n")
    metric(2.0 + seed % 5)
if kind == "fills":
    metric(1.0)
    with open("big", "wb") as out:
        for _ in range(10_000): out.write(b"z" * 1_000_000); time.sleep(0.002)
if kind == "forks":
    metric(3.0 + seed % 5)
    if os.fork() == 0:
        os.setsid(); time.sleep(600)
if kind == "memory":
    metric(1.0); hog = bytearray(800_000_000)
    for i in range(0, len(hog), 4096): hog[i] = 1
    time.sleep(600)
'''

    def test_each_job_has_its_typed_outcome(self):
        self.study(self.STUDY, self.JOB)
        study = self.run_study("-j", "2", timeout=4 * PATIENCE)
        self.assertEqual(study["outcome"], "concluded")
        expected = {"good": "succeeded", "exit1": "failed", "signal": "failed", "noisy": "succeeded", "nan": "failed", "nothing": "failed", "malformed": "succeeded", "fills": "failed", "forks": "succeeded", "memory": "failed"}
        runs = self.lines("runs", study["id"])
        for run in runs:
            self.assertEqual(run["state"], expected[run["factors"]["kind"]], run)
        by = {run["factors"]["kind"]: run for run in runs}
        self.assertEqual(by["exit1"]["exit"], 1)
        self.assertEqual(by["signal"]["signal"], 11)
        self.assertIn("memory", by["memory"]["reason"])
        self.assertIn("disk", by["fills"]["reason"])
        self.assertEqual(by["malformed"]["malformed_metrics"], 2)
        log = self.etude("run-log", by["noisy"]["id"]).stdout
        self.assertLess(len(log), 20_000_000)
        self.assertGreater(len(log), 8_000_000)
        self.check_nothing_is_left()

    def test_a_job_that_hangs_times_out_and_the_others_are_not_touched(self):
        text = self.STUDY.replace("[good, exit1, signal, noisy, nan, nothing, malformed, fills, forks, memory]", "[good, hang]")
        for seconds in TIME_OUTS:
            self.study(text.replace("timeout: 20m", f"timeout: {seconds}s"), self.JOB)
            study = self.run_study("-j", "2")
            ends = {(run["factors"]["kind"], run["state"]) for run in self.lines("runs", study["id"])}
            if ("good", "timed_out") not in ends:
                break
        self.assertEqual(study["outcome"], "concluded")
        self.assertEqual(ends, {("good", "succeeded"), ("hang", "timed_out")})
        self.check_nothing_is_left()

    def check_nothing_is_left(self):
        left = subprocess.run(["pgrep", "-f", str(self.home)], capture_output=True, text=True).stdout
        self.assertEqual(left, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
