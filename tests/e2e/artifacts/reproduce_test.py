"""An artifact run again: what is chosen of it, what is found, and what a stranger's artifact cannot do."""
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import unittest

from forgery import Forgery, kind, rewritten
from harness import JOB, EtudeTest, until, waits
from served import ServedTest

# Every value varies with the seed, and is the same for the same seed.
DETERMINISTIC = '''
etude: 1
title: Exact costs
question: Is fast cheaper than slow?
run: python3 -S job.py {arm} 1 {seed}
factors: {arm: {levels: [slow, fast], baseline: slow}}
metrics: {cost: {unit: s, goal: minimize, primary: true}}
hypotheses:
  - id: H1
    statement: Fast costs less than slow.
    test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}
design: {replicates: {min: 6, max: 6}}
resources: {timeout: 10m}
'''

# The fifth run of a reproduction waits, so that the kernel can be killed on the way.
WAITING_JOB = waits(1144152598, arm="fast") + '''
import json, os, sys
arm, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "cost", "value": {"slow": 10.0, "fast": 4.0}[arm] * n + seed % 7 / 10}) + "\\n")
'''


def what_differs(report):
    return {d["what"]: (d["recorded"], d["observed"]) for d in report["environment"]}


def outcomes(report):
    return {c["id"]: c["outcome"] for c in report["claims"]}


class Reproduce(EtudeTest):
    on_disk = True

    def recorded(self, text=None, job=None, **kw):
        """A study's artifact, read by someone with another home."""
        self.study(*[a for a in (text, job) if a is not None])
        ended = self.run_study("-j", "2", **kw)
        self.assertEqual(ended["outcome"], "concluded", ended)
        self.home = self.tmp / "reader"
        return self.dir / "study-ara"

    def handed_back(self, place="again"):
        return self.tmp / place

    def test_all_of_it_with_the_same_seeds_and_a_report_that_is_evidence(self):
        ara = self.recorded()
        said = self.etude("reproduce", ara, "-j", "2", "-o", self.handed_back())
        self.assertIn("24 of 24 runs", said.stdout)
        self.assertIn("0 USD", said.stdout)
        self.assertLess(said.stdout.index("24 of 24 runs"), said.stdout.index("C01"))
        self.assertIn("24 of 24 runs agree", said.stdout)
        again = self.handed_back()
        report = json.loads((again / "reproduction.json").read_text())
        self.assertEqual(outcomes(report), {"C01": "reproduced", "C02": "reproduced"})
        self.assertEqual((report["seeds"], report["sample"], report["untrue"]), ("same", None, []))
        self.assertEqual(len(report["runs"]), 24)
        for run in report["runs"]:
            self.assertEqual(run["outcome"], "agrees", run)
            self.assertEqual(run["values"][0]["recorded"], run["values"][0]["observed"])
        self.assertEqual(len({(json.dumps(r["factors"]), r["seed"]) for r in report["runs"]}), 24)
        # Nobody's machine changed in between.
        self.assertEqual(set(what_differs(report)) - {"jobs at a time"}, set())
        for page in ("reproduction.md", "reproduction.html"):
            text = (again / page).read_text()
            self.assertIn("24 of 24 runs agree", text)
            self.assertIn(report["recorded"]["head"], text)
        if shutil.which("chromium-headless-shell"):
            self.assertIn("24 of 24 runs agree", self.in_browser(again / "reproduction.html", "--dump-dom"))
        seal = json.loads((again / "etude.json").read_text())
        self.assertIn("reproduction.json", seal["pages"])
        self.assertTrue(self.json("check", again, "--strict")["ok"])
        self.assertTrue(self.json("audit", again)["ok"])
        self.assertTrue(self.json("verify")["ok"])

    def test_a_claim_that_was_not_asked_for_is_not_attempted(self):
        ara = self.recorded()
        report = self.json("reproduce", ara, "--claim", "C02", "-j", "2")
        self.assertEqual(outcomes(report), {"C01": "not_attempted", "C02": "reproduced"})
        self.assertEqual((report["outcome"], report["chosen"]), ("reproduced", ["C02"]))
        refused = self.etude("reproduce", ara, "--claim", "C09", code=2)
        self.assertIn("C09", refused.stderr)
        self.assertEqual(len(self.json("ls")), 1)

    def test_fresh_seeds_are_others_and_come_of_the_readers_seed(self):
        ara = self.recorded()
        used = {run["seed"] for run in json.loads((ara / "etude.json").read_text())["runs"]}
        report = self.json("reproduce", ara, "--seeds", "fresh", "--seed", "99", "-j", "2", "-o", self.handed_back())
        self.assertEqual(outcomes(report), {"C01": "replicated", "C02": "replicated"})
        self.assertEqual((report["seeds"], report["seed"], report["runs"]), ("fresh", 99, []))
        self.assertEqual(what_differs(report)["seed of the study"], ("1", "99"))
        again = json.loads((self.handed_back() / "etude.json").read_text())["runs"]
        self.assertEqual(len(again), 24)
        self.assertEqual(used & {run["seed"] for run in again}, set())
        self.assertIn("recorded", self.etude("reproduce", ara, "--seeds", "fresh", "--seed", "1", code=2).stderr)
        self.assertIn("fresh", self.etude("reproduce", ara, "--seeds", "fresh", "--sample", "2", code=2).stderr)

    def test_fresh_seeds_of_a_study_whose_seeds_were_drawn(self):
        ara = self.recorded(DETERMINISTIC + "seeds: drawn\n")
        report = self.json("reproduce", ara, "--seeds", "fresh", "--seed", "1", "-j", "2")
        self.assertEqual(what_differs(report)["seed of the study"], ("drawn at registration", "1"))

    def test_a_sample_says_what_it_could_have_caught(self):
        ara = self.recorded()
        args = ("reproduce", ara, "--sample", "5", "-j", "2")
        report = self.json(*args, "--seed", "3")
        sample = report["sample"]
        self.assertEqual((sample["seed"], sample["drawn"], sample["of"], sample["agree"]), (3, 5, 24, 5))
        for caught in sample["caught"]:
            k = math.ceil(caught["share"] * 24 - 1e-9)
            chance = 1 - math.comb(24 - k, 5) / math.comb(24, 5)
            self.assertEqual(caught["fabricated"], k)
            self.assertAlmostEqual(caught["chance"], chance, places=12)
        chance = 1 - math.comb(21, 5) / math.comb(24, 5)
        self.assertEqual(sample["text"], "5 of 24 runs agree; if 3 of 24 were fabricated, the sample had a chance of "
                                         f"{100 * chance:.0f} % to contain one")
        # A sample is no verdict, and is not rounded up to one.
        self.assertEqual(set(outcomes(report).values()), {"not_attempted"})
        self.assertEqual(len(report["runs"]), 5)
        ran = [r for r in self.lines("runs", report["study"])]
        self.assertEqual(len(ran), 5)
        drawn = [r["recorded"] for r in report["runs"]]
        self.assertEqual([r["recorded"] for r in self.json(*args, "--seed", "3")["runs"]], drawn)
        self.assertNotEqual([r["recorded"] for r in self.json(*args, "--seed", "4")["runs"]], drawn)
        self.assertIn("24 runs", self.etude("reproduce", ara, "--sample", "25", code=2).stderr)

    def test_a_budget_ends_a_sample_which_says_how_far_it_came(self):
        ara = self.recorded()
        report = json.loads(self.etude("reproduce", ara, "--sample", "6", "--seed", "1", "--budget", "runs=2", "-j", "1",
                                       "--json", code=4).stdout)
        self.assertEqual([r["outcome"] for r in report["runs"]].count("agrees"), 2)
        self.assertEqual(report["run_counts"]["not_run"], 4)
        self.assertEqual(report["sample"]["compared"], 2)
        # The same command goes on.
        again = self.etude("reproduce", ara, "--sample", "6", "--budget", "runs=6", "-j", "1", "--json")
        self.assertIn(report["study"], again.stderr)
        self.assertEqual(json.loads(again.stdout)["sample"]["agree"], 6)
        self.assertEqual(len(self.json("ls")), 1)

    def test_killed_in_the_middle_the_same_command_goes_on(self):
        threading.Thread(target=lambda: until(self.waiting) and self.release()).start()
        ara = self.recorded(DETERMINISTIC, WAITING_JOB)
        command = self.command("reproduce", ara, "-j", "1", "--json")
        first = subprocess.Popen(command, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until(self.waiting)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        before = {r["id"] for r in self.lines("runs", self.only_id()) if r["state"] == "succeeded"}
        self.assertEqual(len(before), 4)
        self.release()
        report = self.json("reproduce", ara, "-j", "1")
        self.assertEqual(report["study"], self.only_id())
        self.assertEqual(report["outcome"], "reproduced")
        self.assertEqual(report["run_counts"]["agrees"], 12)
        runs = self.lines("runs", self.only_id())
        self.assertEqual(len(runs), 12)
        self.assertLessEqual(before, {r["id"] for r in runs if r["state"] == "succeeded"})
        self.assertTrue(self.json("verify")["ok"])

    def test_an_edited_number_is_said_to_be_one(self):
        ara = self.recorded()
        results = ara / "evidence/results/E01.csv"
        rows = results.read_text().splitlines()
        column = rows[0].split(",").index("cost")
        cells = rows[4].split(",")
        before, cells[column] = cells[column], "1.25"
        rows[4] = ",".join(cells)
        results.chmod(0o644)
        results.write_text("\n".join(rows) + "\n")
        report = self.json("reproduce", ara, "-j", "2", code=1)
        untrue = f"evidence/results/E01.csv states cost = 1.25 for {cells[0]}, and the log records {before}"
        self.assertEqual([u["what"] for u in report["untrue"]], [untrue])
        self.assertEqual(set(outcomes(report).values()), {"diverged"})
        self.assertIn(untrue, report["claims"][0]["reason"])
        # The design itself comes out as the log has it.
        self.assertEqual(report["run_counts"]["agrees"], 24)

    def forged(self, ara, change):
        forgery = Forgery(ara, self.tmp / "forged-ara")
        done = []

        def lines(log):
            out = []
            for line in log:
                new = change(line) if not done else None
                if new:
                    done.append(json.loads(line)["payload"])
                out.append(new or line)
            return out

        forgery.relog(lines)
        self.assertTrue(done)
        return forgery.root, done[0]

    def test_a_fabricated_run_whose_hashes_agree_again_is_found_by_running_it(self):
        ara = self.recorded(DETERMINISTIC)

        def fabricate(line):
            event = json.loads(line)
            if kind(line) == "RunEnded" and event["payload"]["run"] == 5:
                return rewritten(line, lambda p: p["measurement"]["values"]["cost"].update(value=25.5))

        forged, before = self.forged(ara, fabricate)
        honest = before["measurement"]["values"]["cost"]
        honest = honest["value"] if isinstance(honest, dict) else honest
        shutil.rmtree(forged / "evidence/results")
        seal = json.loads((forged / "etude.json").read_text())
        seal["files"] = {p: h for p, h in seal["files"].items() if not p.startswith("evidence/results")}
        (forged / "etude.json").write_text(json.dumps(seal, indent=2))
        report = self.json("reproduce", forged, "-j", "2", code=None)
        differing = [r for r in report["runs"] if r["outcome"] == "differs"]
        self.assertEqual([r["recorded"][-3:] for r in differing], ["-r5"])
        self.assertIn(f"cost was 25.5 and is {honest}", differing[0]["reason"])
        self.assertIn("1 of its 12 runs differs", report["claims"][0]["reason"])
        # All of it drawn, the sample finds it, too.
        sample = self.json("reproduce", forged, "--sample", "12", "-j", "2", code=1)
        self.assertEqual(outcomes(sample), {"C01": "diverged"})
        self.assertIn("11 of 12 runs agree, 1 differs", sample["sample"]["text"])

    def test_a_verdict_that_the_recorded_runs_do_not_give_is_believed_by_nobody(self):
        ara = self.recorded(DETERMINISTIC)

        def forge(line):
            if kind(line) == "ExperimentAnalysed":
                return rewritten(line, lambda p: p["results"][0].update(verdict="refuted", effect=-40.0, se=1e9))

        forged, _ = self.forged(ara, forge)
        report = self.json("reproduce", forged, "-j", "2", code=1)
        self.assertEqual(outcomes(report), {"C01": "diverged"})
        self.assertIn("the recorded runs give", report["claims"][0]["reason"])

    def test_the_study_file_is_the_artifacts_own_and_no_link(self):
        ara = self.recorded(DETERMINISTIC)
        (self.tmp / "private").write_text("a secret")
        for keep in (True, False):
            (ara / "src/study.yaml").unlink()
            (ara / "src/study.yaml").symlink_to(self.tmp / "private")
            seal = json.loads((ara / "etude.json").read_text())
            if not keep:
                del seal["files"]["src/study.yaml"]
            (ara / "etude.json").write_text(json.dumps(seal))
            self.assertIn("src/study.yaml", self.etude("reproduce", ara, "-j", "2", code=2).stderr)

    def test_a_run_with_another_seed_than_was_registered_is_named(self):
        ara = self.recorded(DETERMINISTIC)

        def reseed(line):
            if kind(line) == "RunsQueued" and json.loads(line)["payload"]["purpose"] == "registered":
                return rewritten(line, lambda p: p["runs"][4].update(seed=4242))

        forged, before = self.forged(ara, reseed)
        report = self.json("reproduce", forged, "-j", "2", code=1)
        said = [u["what"] for u in report["untrue"]]
        registered, number = before["runs"][4]["seed"], before["runs"][4]["number"]
        self.assertTrue(any(f"-r{number} ran with the seed 4242, and {registered} was registered" in s for s in said), said)
        self.assertEqual(outcomes(report), {"C01": "diverged"})

    def test_another_version_of_a_library_is_a_difference_of_environment(self):
        venv = self.tmp / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        site = next(venv.glob("lib/python3*/site-packages"))
        (site / "soundness-1.4.dist-info").mkdir()
        (site / "soundness.py").write_text("factor = 1.0\n")
        job = "import soundness\n"
        env = os.environ | {"PATH": f"{venv}/bin:{os.environ['PATH']}"}
        study = DETERMINISTIC.replace("python3 -S", "python3")
        ara = self.recorded(study, job + JOB.replace("{value}", "{value * soundness.factor}"), env=env)
        (site / "soundness-1.4.dist-info").rename(site / "soundness-1.5.dist-info")
        report = self.json("reproduce", ara, "-j", "2", env=env)
        self.assertEqual(what_differs(report)["library soundness of python3"], ("1.4", "1.5"))
        self.assertEqual(report["outcome"], "reproduced")
        (site / "soundness.py").write_text("factor = 3.0\n")
        report = self.json("reproduce", ara, "-j", "2", "--sample", "3", code=1, env=env)
        self.assertEqual(report["run_counts"]["differs"], 3, report["runs"])
        self.assertIn("library soundness of python3", what_differs(report))


class Hostile(EtudeTest):
    STAGED = '''
    etude: 1
    title: Two stages
    question: Is fast cheaper than slow?
    stages:
      make: {run: "python3 make.py {seed}", outputs: {out: out.txt}, resources: {network: true}}
      use: {needs: make, run: "python3 use.py {arm} {make.out}", factors: [arm]}
    factors: {arm: {levels: [slow, fast], baseline: slow}}
    metrics: {cost: {unit: s, goal: minimize, primary: true}}
    hypotheses:
      - id: H1
        statement: Fast costs less than slow.
        test: {metric: cost, treatment: {arm: fast}, control: {arm: slow}, direction: less}
    design: {replicates: {min: 3, max: 3}, smoke: false}
    resources: {timeout: 10m, sandbox: none}
    '''

    def test_no_stage_leaves_the_sandbox_or_has_network(self):
        secret = self.tmp / "secret.txt"
        secret.write_text("7")
        self.write("make.py", f'''
            import os, pathlib, sys
            try:
                seen = pathlib.Path("{secret}").read_text()
            except OSError:
                seen = "none"
            interfaces = os.listdir("/sys/class/net") if os.path.isdir("/sys/class/net") else []
            pathlib.Path(os.environ["ETUDE_OUTPUT"], "out.txt").write_text(seen + " " + str(sys.argv[1]))
            ''')
        self.write("use.py", '''
            import json, os, pathlib, sys
            seen, seed = pathlib.Path(sys.argv[2]).read_text().split()
            value = {"slow": 10, "fast": 4}[sys.argv[1]] + int(seed) % 10 / 10 + (100000 if seen != "none" else 0)
            with open(os.environ["ETUDE_METRICS"], "a") as out:
                out.write(json.dumps({"name": "cost", "value": value}) + "\\n")
            ''')
        self.write("study.yaml", self.STAGED)
        self.run_study("-j", "2")
        ara = self.dir / "study-ara"
        (ara / ".ara_env").write_text("TOKEN=do-not-tell")
        self.home = self.tmp / "reader"
        again = self.tmp / "again"
        done = self.etude("reproduce", ara, "-j", "2", "-o", again, "--json", code=None)
        report = json.loads(done.stdout)
        # Outside it saw the file; inside there is none.
        self.assertEqual(report["run_counts"]["agrees"], 0, report["runs"])
        for run in report["runs"]:
            self.assertGreater(run["values"][0]["recorded"], 100000)
            self.assertLess(run["values"][0]["observed"], 100000)
        self.assertIn("ran without sandbox; here it runs inside one", done.stderr)
        self.assertIn("its stage make had network", done.stderr)
        self.assertEqual(what_differs(report)["sandbox"], ("none", "automatic"))
        for path in again.rglob("*"):
            self.assertNotEqual(path.name, ".ara_env")
            if path.is_file():
                self.assertNotIn(b"do-not-tell", path.read_bytes(), path)

    def test_what_ran_earlier_is_run_and_not_taken_from_a_cache(self):
        self.study(DETERMINISTIC + "cache: true\n")
        self.run_study("-j", "2")
        report = self.json("reproduce", self.dir / "study-ara", "-j", "2")
        self.assertEqual(report["outcome"], "reproduced")
        self.assertEqual(self.json("show", report["study"])["runs"]["cached"], 0)


class OverHttp(ServedTest):
    def test_a_reproduction_is_opened_and_asked_after(self):
        self.study(DETERMINISTIC)
        self.run_study("-j", "2")
        ara = str(self.dir / "study-ara")
        self.home = self.tmp / "reader"
        self.serve()
        opened = self.post("/artifacts/reproduce", {"path": ara, "sample": 4, "seed": 9, "jobs": 2}, status=201)
        until(lambda: self.get("/reproductions/" + opened["id"])["state"] == "ended")
        report = self.get("/reproductions/" + opened["id"])
        self.assertEqual((report["sample"]["seed"], report["sample"]["agree"], report["sample"]["of"]), (9, 4, 12))
        self.problem(404, "GET", "/reproductions/s99")
        self.problem(422, "POST", "/artifacts/reproduce", {"path": ara, "sample": 400})
        self.problem(422, "POST", "/artifacts/reproduce", {"path": ara, "claims": "C01"})
        self.problem(422, "POST", "/artifacts/reproduce", {"path": ara, "seeds": "other"})
        self.stop()


if __name__ == "__main__":
    unittest.main()
