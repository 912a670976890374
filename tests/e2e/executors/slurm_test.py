"""Studies on a real Slurm: one to its verdict, kernels killed, ends by Slurm, a controller that does not answer.

ETUDE_SLURM_LONG: also what takes minutes. ETUDE_SLURM_KILLS: kills to survive (default 4; `make soak` asks for 50). ETUDE_SEED: of the instants. ETUDE_SLURM_JOBS: of
the large study (default 40; `make soak` asks for 1,000)."""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

import slurm_cluster
from harness import PATIENCE, EtudeTest, until, verdicts
from small_image import BUSYBOX, MKSQUASHFS, make_image, make_root

JOBS = int(os.environ.get("ETUDE_SLURM_JOBS", "40"))
LONG = os.environ.get("ETUDE_SLURM_LONG")
KILLS = int(os.environ.get("ETUDE_SLURM_KILLS", "4"))

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

# By sh, which starts sooner. Appends of one line are whole.
COUNTING_SCRIPT = '''
echo "$ETUDE_RUN start" >>"$3"
cost=$(( $( [ "$1" = slow ] && echo "1000000 + $2 % 99991" || echo "400000 + $2 % 99989" ) ))
echo "{\\"name\\": \\"cost\\", \\"value\\": $cost}" >>"$ETUDE_METRICS"
echo "$ETUDE_RUN end" >>"$3"
'''

COUNTING_JOB = '''
import os, sys, time
arm, seed, ledger = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def count(word):
    with open(ledger, "a") as out:
        out.write(f"{os.environ['ETUDE_RUN']} {word}\\n")
count("start")
time.sleep(0.02 + seed % 7 / 20)
value = {"slow": 10.0, "fast": 4.0}[arm] + seed % {"slow": 997, "fast": 1009}[arm] / 1000
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "cost", "value": {value}}}\\n')
count("end")
'''


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


class OneStudy(SlurmCase):
    def test_a_study_reaches_its_verdicts_and_its_jobs_know_nothing_of_slurm(self):
        self.study(STUDY, JOB)
        before = set(self.cluster.jobs())
        study = self.run_study()
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        runs = self.lines("runs", study["id"])
        self.assertTrue(all(run["state"] == "succeeded" for run in runs), runs)
        self.assertTrue(all(run["sandboxed"] for run in runs), runs[0])
        self.assertIn("of Slurm: []", self.etude("run-log", runs[0]["id"]).stdout)
        jobs = {job: state for job, state in self.cluster.jobs().items() if job not in before}
        self.assertEqual(len(jobs), len(runs) + 2, "one job asks a node of each kind what it has")
        self.assertEqual(set(jobs.values()), {"COMPLETED"})
        self.assertTrue(any("_" in job for job in jobs), "identical shapes are an array")
        self.assertEqual(self.left(), [])
        self.assertEqual(self.json("verify")["ok"], True)
        # What nodes needed of an ended study is collected.
        listed = [item["path"] for item in self.json("gc")["items"] if item["kind"] == "copy"]
        self.assertEqual({pathlib.Path(path).parent.name for path in listed} - {"runs"}, {"workspaces", "programs"})
        self.assertTrue(all(pathlib.Path(path).exists() for path in listed))
        self.etude("gc", "--delete")
        self.assertEqual([path for path in self.shared.rglob("*") if path.is_file()], [])
        self.assertEqual([item for item in self.json("gc")["items"] if item["kind"] == "copy"], [])

    @unittest.skipUnless(BUSYBOX.exists() and MKSQUASHFS, "busybox and squashfs-tools are not installed")
    def test_nodes_get_one_copy_of_an_image(self):
        make_root(self.tmp / "root")
        image = make_image(self.tmp / "root", self.tmp / "image.sif")
        self.write("study.yaml", STUDY.replace("python3 -S job.py {arm} {seed}", "sh job.sh {arm}").replace(
            "\nrun:", f"\nenvironment: {{use: 'apptainer:{image}'}}\nrun:", 1).replace(
                "primary: true", "primary: true, deterministic: true"))
        self.write("job.sh", """
            test ! -e /usr/bin/env || exit 1
            case $1 in slow) cost=10.$SCALE;; *) cost=4.$SCALE;; esac
            echo "{\\"name\\": \\"cost\\", \\"value\\": $cost}" >> $ETUDE_METRICS
            """)
        study = self.run_study()
        runs = self.lines("runs", study["id"])
        self.assertEqual({(run["factors"]["arm"], run["metrics"]["cost"]) for run in runs if run["evidence"]},
                         {("slow", 10.3), ("fast", 4.3)}, runs)
        self.assertTrue(all(run["sandboxed"] for run in runs), runs[0])
        copies = list(self.shared.glob("etude-*/kept/*"))
        self.assertEqual([copy.name for copy in copies], [p.name for p in (self.home / "kept").iterdir() if p.name != "tmp"])
        self.assertTrue((copies[0] / "opt/bin/scale").exists())

    def test_a_run_gets_the_gpus_that_slurm_gave_it_and_no_more_runs_ask_than_are_allowed(self):
        self.configure(gpus=3, gpu_type="toy")
        self.study(STUDY.replace("timeout: 10m", "timeout: 10m, gpus: 2"),
                   JOB + "print('devices', os.environ['CUDA_VISIBLE_DEVICES'])\n")
        study = self.run_study()
        runs = self.lines("runs", study["id"])
        self.assertIn("devices 0,1", self.etude("run-log", runs[0]["id"]).stdout)
        self.assertEqual({run["beside"] for run in runs}, {0})

    def test_machines_as_blocks(self):
        job = JOB.replace("[arm] + seed", "[arm] + {'n1': 0, 'n2': 30}[sys.argv[3]] + seed")
        study = (STUDY.replace("{arm} {seed}", "{arm} {seed} {machine}").replace(", margin: {relative: 0.5}", "")
                 .replace("factors:\n", "factors:\n  machine: {levels: [n1, n2]}\n")
                 .replace("min: 6, max: 6}", "min: 3, max: 3}, blocks: [machine]")
                 .replace("timeout: 10m", "timeout: 10m, node: machine"))
        self.study(study, job)
        ended = self.run_study()
        self.assertEqual(verdicts(ended), {"H1": "supported", "H2": "refuted"})
        runs = self.lines("runs", ended["id"])
        self.assertEqual([run["id"] for run in runs if run["node"] != run["factors"]["machine"]], [])
        evidence = [run for run in runs if run["evidence"]]
        self.assertEqual(collections.Counter((run["node"], run["factors"]["arm"]) for run in evidence),
                         {(node, arm): 3 for node in ("n1", "n2") for arm in ("slow", "fast")})
        by_seed = collections.defaultdict(set)
        for run in evidence:
            by_seed[run["seed"]].add(run["node"])
        self.assertEqual({len(nodes) for nodes in by_seed.values()}, {1}, "all arms of one seed run on one node")
        self.assertEqual({h["blocks"]["tested"] for h in ended["hypotheses"]}, {2})


class Kills(SlurmCase):
    kills, at_once, between, most_a_study = KILLS, 8, 0.4, 25

    def counting_study(self, ledger):
        """Writes a study whose jobs count themselves in the ledger."""
        self.study(STUDY.replace("job.py {arm} {seed}", f"job.py {{arm}} {{seed}} {ledger}")
                   .replace("timeout: 10m", "timeout: 10m, sandbox: none"), COUNTING_JOB)

    def disturb(self, rng):
        """Something more that fails, after each kill."""

    def survive(self, kills, rng):
        """Kills the kernel at most `kills` times; how often before the study's end."""
        verb = ["run", "study.yaml", "-j", str(self.at_once)]
        for done in range(kills):
            kernel = self.popen(*verb)
            time.sleep(rng.choice([0.0, 0.02, 0.1]) + rng.expovariate(1 / self.between))
            kernel.kill()
            _, errors = kernel.communicate()
            if kernel.returncode != -signal.SIGKILL:
                self.assertEqual(kernel.returncode, 0, errors)
                return done
            if self.json("ls"):
                verb = ["resume", "-j", str(self.at_once)]
            self.disturb(rng)
        self.etude(*verb, timeout=10 * PATIENCE)
        return kills

    def test_killed_again_and_again_no_run_is_lost_and_none_starts_twice(self):
        rng, killed, campaigns, total = random.Random(int(os.environ.get("ETUDE_SEED", "20"))), 0, 0, 0
        while killed < self.kills:
            self.home, self.dir = self.tmp / f"home-{campaigns}", self.tmp / f"study-{campaigns}"
            self.dir.mkdir()
            ledger = self.dir / "ledger"
            self.counting_study(ledger)
            killed += self.survive(min(self.kills - killed, self.most_a_study), rng)
            study = self.json("show", self.only_id())
            self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
            runs = self.lines("runs", study["id"])
            self.assertEqual([run["id"] for run in runs if run["state"] == "lost"], [])
            # By launch, since a voided one may be followed by another.
            counts = collections.Counter(tuple(line.split()) for line in ledger.read_text().splitlines())
            self.assertEqual({key: number for key, number in counts.items() if number > 1}, {})
            of = self.run_of_launch()
            started = collections.Counter(of[launch] for launch, word in counts if word == "start")
            self.assertEqual({run: number for run, number in started.items() if number > 1}, {})
            self.assertEqual(set(started), {run["id"] for run in runs})
            self.assertEqual(self.left(), [])
            self.assertEqual(self.json("verify")["ok"], True)
            campaigns += 1
            total += len(runs)
        print(f"{killed} kills over {campaigns} studies with {total} runs: 0 runs lost, 0 started twice, "
              f"{len(self.cluster.jobs())} jobs in Slurm")


@unittest.skipUnless(LONG, "takes minutes: `make soak` runs it")
class KillsOfALargeStudy(Kills):
    cluster_options = {"cpus": 64}
    at_once, between, most_a_study = JOBS, 4, KILLS

    def counting_study(self, ledger):
        self.write("job.sh", COUNTING_SCRIPT)
        text = STUDY.replace("python3 -S job.py {arm} {seed}", f"sh job.sh {{arm}} {{seed}} {ledger}")
        text = text.replace("min: 6, max: 6", f"min: {JOBS // 2}, max: {JOBS // 2}").replace("timeout: 10m", "timeout: 10m, sandbox: none")
        self.write("study.yaml", text + f"budget: {{runs: {JOBS + 100}}}\n")


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
        return [path.parent for path in self.shared.glob("etude-*/runs/*/*/waits") if not (path.parent / "go").exists()]

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
            for folder in self.waiting():
                (folder / "go").touch()
            self.resume_nodes()
            return kernel.poll() is not None
        until(ended, tell=lambda: f"{self.lines('runs', 's1')}\n{self.cluster.jobs()}\n{(self.tmp / 'said').read_text()}")
        self.assertEqual(kernel.returncode, 0, kernel.stderr.read())
        return self.lines("runs", "s1")


class Ends(Waiting):
    """What Slurm does to a job while it waits."""

    def test_a_job_that_slurm_preempts_runs_again(self):
        kernel = self.begin()
        until(self.waiting)
        job, _ = self.newest()
        for node in ("n1", "n2"):
            self.cluster.run("sbatch", "-p", "urgent", "-w", node, "--exclusive", "--wrap", "sleep 1")
        first = self.first_ends()
        self.assertEqual(first["state"], "lost")
        self.assertIn(f"it was preempted (Slurm job {job} on", first["reason"])

    def test_a_job_that_a_person_ends_in_slurm_is_cancelled(self):
        kernel = self.begin()
        until(self.waiting)
        job, _ = self.newest()
        self.cluster.run("scancel", job)
        first = self.first_ends()
        self.assertEqual(first["state"], "cancelled")
        self.assertIn("its Slurm job was cancelled, not by etude", first["reason"])

    def test_what_a_living_job_needs_is_not_collected(self):
        kernel = self.begin()
        until(self.waiting)
        kernel.kill()
        kernel.wait()
        self.etude("gc", "--delete")
        root = next(self.shared.glob("etude-*"))
        self.assertEqual([len(list((root / kind).iterdir())) for kind in ("workspaces", "programs")], [1, 1])
        runs = self.finish(self.popen("resume", "-j", "4"))
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})

    def test_a_node_that_is_drained_ends_its_job_and_gets_no_other(self):
        kernel = self.begin()
        until(self.waiting)
        job, node = self.newest()
        self.cluster.run("scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=test")
        self.addCleanup(self.cluster.run, "scontrol", "update", f"NodeName={node}", "State=RESUME")
        runs = self.finish(kernel)
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})
        lines = self.cluster.run("squeue", "-h", "-r", "-t", "all", "-o", "%i %N").splitlines()
        had_nodes = [line.split() for line in lines if len(line.split()) == 2]
        later = {where for number, where in had_nodes if int(number.split("_")[0]) > int(job.split("_")[0])}
        self.assertEqual(later, {"n1", "n2"} - {node})

    def test_a_study_waits_for_nodes_that_are_all_drained(self):
        self.cluster.run("scontrol", "update", "NodeName=n1,n2", "State=DRAIN", "Reason=test")
        self.addCleanup(self.cluster.run, "scontrol", "update", "NodeName=n1,n2", "State=RESUME", check=False)
        kernel = self.begin()
        until(lambda: [job for job, state in self.cluster.jobs().items() if state == "PENDING"])
        self.assertIsNone(kernel.poll())
        self.cluster.run("scontrol", "update", "NodeName=n1,n2", "State=RESUME")
        until(self.waiting)
        self.assertEqual({run["state"] for run in self.finish(kernel)}, {"succeeded"})


class KilledController(Waiting):
    """Its nodes keep the numbers that it forgets, so it has a cluster of its own."""

    def test_a_controller_that_is_killed_forgets_jobs_which_run_again_and_are_not_cancelled(self):
        kernel = self.begin("-j", "2")
        until(lambda: len(self.waiting()) == 2)
        self.cluster.stop("slurmctld", signal.SIGKILL)
        self.cluster.start_controller()
        # Nodes say which jobs they have; by themselves they would do so minutes later.
        self.cluster.run("scontrol", "reconfigure")
        runs = self.finish(kernel)
        self.assertEqual({run["state"] for run in runs} - {"succeeded", "lost"}, set(), runs)
        self.assertEqual(self.json("show", "s1")["outcome"], "concluded")

    def test_jobs_wait_for_a_controller_that_is_gone_and_ends_are_seen_meanwhile(self):
        kernel = self.begin()
        until(self.waiting)
        self.cluster.stop("slurmctld", signal.SIGKILL)
        for folder in self.waiting():
            (folder / "go").touch()
        first = self.first_ends()
        self.assertEqual(first["state"], "succeeded", first)
        until(lambda: "jobs wait: Slurm does not answer: " in (self.tmp / "said").read_text())
        self.cluster.start_controller()

        self.finish(kernel)
        self.assertIn("jobs continue", (self.tmp / "said").read_text())
        self.assertEqual([(run["id"], run["state"], run["reason"]) for run in self.lines("runs", "s1")
                          if run["state"] != "succeeded"], [])


@unittest.skipUnless(LONG, "takes minutes: `make soak` runs it")
class SlowEnds(Waiting):
    """Ends that take Slurm longer than a test of `make test` may."""
    cluster_options = {"cpus": 4, "node_timeout": 6}

    def test_a_job_whose_node_fails_runs_again(self):
        kernel = self.begin()
        until(self.waiting)
        job, node = self.newest()
        self.cluster.kill_node(node)
        self.addCleanup(self.cluster.start_node, node)
        first = self.first_ends()
        self.assertEqual(first["state"], "lost")
        self.assertIn(f"its node failed (Slurm job {job} on {node}", first["reason"])
        self.assertEqual({run["state"] for run in self.finish(kernel)}, {"succeeded", "lost"})

    def test_a_job_that_reaches_slurms_time_limit_has_timed_out(self):
        self.configure(time="1m")
        kernel = self.begin()
        until(self.waiting)
        job, _ = self.newest()
        first = self.first_ends()
        self.assertEqual(first["state"], "timed_out")
        self.assertIn(f"Slurm's time limit ended it (Slurm job {job} on", first["reason"])


def needs_accounting(case):
    """Skips the class where it is not asked for, or slurmdbd or MariaDB is missing."""
    why = "takes minutes: `make soak` runs it" if not LONG else slurm_cluster.missing(slurm_cluster.OF_ACCOUNTING)
    return unittest.skipIf(why, why)(case)


@needs_accounting
class Accounting(Waiting):
    """slurmctld forgets ended jobs at once, so that only slurmdbd knows how they ended."""
    cluster_options = {"cpus": 4, "accounting": True, "remembers": 2}

    def forgotten(self, *jobs):
        until(lambda: not set(jobs) & set(self.cluster.jobs()), patience=180)

    def without_kernel(self, *args):
        """Kills the kernel when `-j` jobs wait; the numbers of all jobs that Slurm knows then."""
        kernel = self.begin(*args)
        until(lambda: len(self.waiting()) == int(args[1]))
        kernel.kill()
        kernel.wait()
        return self.cluster.run("squeue", "-h", "-r", "-t", "R", "-o", "%i").split()

    def test_accounting_says_how_a_job_ended_that_slurm_has_forgotten(self):
        [job] = self.without_kernel("-j", "1")
        self.cluster.run("scancel", job)
        self.forgotten(job)
        kernel = self.popen("resume", "-j", "1")
        first = self.first_ends()
        self.assertEqual(first["state"], "cancelled", first)
        self.assertIn(f"its Slurm job was cancelled, not by etude (Slurm job {job} on", first["reason"])
        self.finish(kernel)

    def test_accounting_that_is_gone_is_waited_for_and_its_return_is_noticed(self):
        [job] = self.without_kernel("-j", "1")
        # slurmctld keeps the end for slurmdbd, and forgets the job itself.
        self.cluster.stop("slurmdbd")
        self.cluster.run("scancel", job)
        self.forgotten(job)
        kernel = self.popen("resume", "-j", "1")
        until(lambda: "jobs wait: Slurm's accounting does not answer: " in (self.tmp / "said").read_text())
        self.assertIn(self.lines("runs", "s1")[0]["state"], ("starting", "running"))
        self.cluster.start_accounting()
        first = self.first_ends()
        self.assertEqual(first["state"], "cancelled", first)
        self.assertIn("its Slurm job was cancelled, not by etude", first["reason"])
        self.finish(kernel)
        self.assertIn("jobs continue", (self.tmp / "said").read_text())

    def test_waiting_tasks_that_a_person_cancels_together_are_cancelled(self):
        # One processor is left.
        for node, cpus in (("n1", 3), ("n2", 4)):
            self.cluster.run("sbatch", "-w", node, "-c", cpus, "--output=/dev/null", "--wrap", "sleep 1000")
        kernel = self.begin("-j", "2")
        until(self.waiting)
        jobs = until(lambda: [job for job, state in self.cluster.jobs().items() if "_" in job and state == "PENDING"])
        kernel.kill()
        kernel.wait()
        self.cluster.run("scancel", jobs[0].split("_")[0])
        self.forgotten(*jobs)
        self.popen("resume", "-j", "2")

        def both_ended():
            runs = self.lines("runs", "s1")[:2]
            return all(run["state"] not in ("queued", "starting", "running") for run in runs) and runs

        for run in until(both_ended):
            self.assertEqual(run["state"], "cancelled", run)
            self.assertIn("its Slurm job was cancelled, not by etude", run["reason"])


@needs_accounting
class KillsOfAccounting(Kills):
    """The kernel and slurmdbd are killed again and again."""
    cluster_options = {"accounting": True, "remembers": 2}
    kills = min(KILLS, 20)

    def disturb(self, rng):
        if "slurmdbd" in self.cluster.processes:
            self.cluster.stop("slurmdbd")
        elif rng.random() < 0.5:
            self.cluster.start_accounting()


class Many(SlurmCase):
    """Many jobs: how often Slurm is asked, and what waiting costs."""
    cluster_options = {"cpus": 64}

    def logged(self, *names):
        """An environment in which each call of these programs leaves its begin and its end in a file."""
        folder = self.tmp / "programs"
        folder.mkdir()
        for name in names:
            (folder / name).write_text(f"#!/bin/sh\nbegun=$(date +%s.%N)\n/usr/bin/{name} \"$@\"\nexit=$?\n"
                                       f"echo $begun $(date +%s.%N) >>{self.tmp}/{name}.calls\nexit $exit\n")
            (folder / name).chmod(0o755)
        env = self.cluster.environment()
        return {**env, "PATH": f"{folder}:{env['PATH']}"}

    def calls(self, name):
        log = self.tmp / f"{name}.calls"
        return [tuple(map(float, line.split())) for line in log.read_text().splitlines()] if log.exists() else []

    def cpu_s(self, pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def pending(self):
        return self.cluster.run("squeue", "-h", "-r", "-t", "PD", "-o", "%i").split()

    def test_arrays_are_submitted_at_once_and_slurm_is_asked_at_most_every_five_seconds(self):
        job = """
echo "{\\"name\\": \\"cost\\", \\"value\\": $(( $( [ "$1" = slow ] && echo "1000000 + $2 % 99991" || echo "400000 + $2 % 99989" ) ))}" >"$ETUDE_METRICS"
"""
        self.write("job.sh", job)
        text = STUDY.replace("python3 -S job.py", "sh job.sh").replace("min: 6, max: 6", f"min: {JOBS // 2}, max: {JOBS // 2}")
        self.write("study.yaml", text + f"budget: {{runs: {JOBS + 100}}}\n")
        env = self.logged("sbatch", "squeue")
        kernel = subprocess.Popen(self.command("run", "study.yaml", "-j", str(JOBS)), cwd=self.dir, env=env,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(kernel.communicate)
        self.addCleanup(kernel.kill)
        until(lambda: (self.home / "etude.db").exists() and self.json("ls"))
        until(lambda: self.count_events("ExperimentRegistered", "s1"))
        before, registered = len(self.calls("sbatch")), time.time()
        self.cluster.run("scontrol", "update", "NodeName=n1,n2", "State=DRAIN", "Reason=test")
        begun = time.monotonic()
        until(lambda: self.count_events("RunStarting", "s1") >= JOBS)
        time.sleep(0 if JOBS < 1000 else 10)
        if arrays := self.calls("sbatch")[before:]:
            took = max(end for _, end in arrays) - registered
            print(f"{JOBS} jobs in {len(arrays)} arrays, submitted {took:.2f} s after their registration: {JOBS / took:.0f} jobs/s, "
                  f"of which sbatch took {sum(end - first for first, end in arrays):.2f} s")
        waiting, cpu, since = len(self.pending()), self.cpu_s(kernel.pid), time.monotonic()
        if JOBS >= 1000:
            time.sleep(30)
            share = (self.cpu_s(kernel.pid) - cpu) / (time.monotonic() - since)
            print(f"{waiting} jobs wait: the kernel uses {100 * share:.1f} % of a core")
            self.assertLess(share, 0.05)
        self.cluster.run("scontrol", "update", "NodeName=n1,n2", "State=RESUME")
        out, errors = kernel.communicate(timeout=PATIENCE * 4)
        self.assertEqual(kernel.returncode, 0, out + errors)
        runs = self.lines("runs", "s1")
        self.assertEqual({run["state"] for run in runs}, {"succeeded"})
        self.assertEqual(len(self.calls("sbatch")) < 20, True, "identical shapes are submitted together")
        asked = [first for first, _ in self.calls("squeue")]
        between = [later - earlier for earlier, later in zip(asked, asked[1:])]
        # The times are those of a script's start, which a busy machine delays.
        self.assertGreater(min(between, default=5), 4.5, between)
        print(f"{len(runs)} runs: {len(self.calls('sbatch'))} sbatch, {len(asked)} squeue in {time.monotonic() - begun:.0f} s, "
              f"at least {min(between, default=5):.1f} s between two of them")


class Refused(SlurmCase):
    def refused(self, *words, env=None, study=STUDY):
        self.study(study, JOB)
        done = self.etude("run", "study.yaml", code=3, env=env or self.cluster.environment())
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.json("ls"), [])

    def hidden_tool(self):
        """A program that nodes do not have, and the study that needs it."""
        if not self.cluster.hidden:
            self.skipTest("no user namespace to hide a folder from nodes")
        tool = self.cluster.hidden / "bin" / "measure"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text("#!/bin/sh\necho \"{\\\"name\\\": \\\"cost\\\", \\\"value\\\": $2}\" >> $ETUDE_METRICS\n")
        tool.chmod(0o755)
        return tool, STUDY.replace("python3 -S job.py", str(tool))


class Kinds(Refused):
    """Only one of two kinds of nodes has what a study needs."""
    cluster_options = {"hides": ("n2",)}

    def test_one_node_of_each_kind_that_can_have_the_runs_is_asked(self):
        tool, study = self.hidden_tool()
        self.refused("node n2: ", f"it does not have {tool}, which runs need", "choose other nodes by `constraint`", study=study)
        # Slurm sees a moment later that the job which asked has ended.
        until(lambda: not {"PENDING", "RUNNING"} & set(self.cluster.jobs().values()))
        # What n2 cannot have, it need not be ready for: it has less memory, and then another feature.
        for settings, text in (({}, study.replace("timeout: 10m", "timeout: 10m, memory: 7G")), ({"constraint": "first"}, study)):
            self.configure(**settings)
            self.study(text, JOB)
            before = set(self.cluster.jobs())
            runs = self.lines("runs", self.run_study()["id"])
            self.assertEqual({run["node"] for run in runs}, {"n1"})
            self.assertEqual(len(set(self.cluster.jobs()) - before), len(runs) + 1)


class BadInput(Refused):
    cluster_options = {"hides": ("n1", "n2")}

    def with_program(self, name, text):
        """An environment whose PATH has this script first."""
        folder = self.tmp / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("#!/bin/sh\n" + text)
        (folder / name).chmod(0o755)
        env = self.cluster.environment()
        return {**env, "PATH": f"{folder}:{env['PATH']}"}

    def test_a_partition_that_does_not_exist(self):
        self.configure(partition="nowhere")
        self.refused("Slurm has no partition `nowhere`", "it has: main, short, urgent")

    def test_a_node_that_does_not_exist(self):
        self.refused("node n9: ", "Slurm refuses jobs: ", "nvalid node name",
                     study=STUDY.replace("{arm} {seed}", "{arm} {seed} {machine}")
                     .replace("factors:\n", "factors:\n  machine: {levels: [n1, n9]}\n")
                     .replace("timeout: 10m", "timeout: 10m, node: machine"))

    def test_no_shared_folder(self):
        self.config.write_text("executors: {use: slurm}\n")
        self.refused("names no shared folder", "executors: {slurm: {shared: FOLDER}}")
        self.configure(shared=str(self.tmp / "absent"))
        self.refused(f"there is no folder {self.tmp}/absent")

    def test_options_that_slurm_refuses(self):
        self.configure(constraint="no-such-feature")
        self.refused("Slurm would refuse every job", "nvalid feature specification")

    def test_a_slurm_that_answers_nonsense(self):
        self.refused("sinfo answered what cannot be read: `hello`", env=self.with_program("sinfo", "echo hello\n"))

    def test_a_node_without_the_interpreter_of_the_study(self):
        tool, study = self.hidden_tool()
        self.refused(f"it does not have {tool}, which runs need", "install it there under the same path", study=study)

    def test_a_shared_folder_that_nodes_do_not_see(self):
        if not self.cluster.hidden:
            self.skipTest("no user namespace to hide a folder from nodes")
        shared = self.cluster.hidden / "shared"
        shared.mkdir()
        self.configure(shared=str(shared))
        self.refused(f"it does not see the shared folder {shared}", "name a folder that every node sees")
        self.assertEqual([path for path in shared.rglob("*") if "probes" in str(path) and path.is_file()], [])

    def test_a_shared_folder_that_is_full(self):
        small = ["bwrap", "--dev-bind", "/", "/", "--size", "65536", "--tmpfs", self.shared]
        if subprocess.run([*small, "true"], capture_output=True).returncode != 0:
            self.skipTest("no user namespace to make a small disk")
        self.study(STUDY, JOB)
        done = subprocess.run([*small, *self.command("run", "study.yaml")], cwd=self.dir, env=self.cluster.environment(),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("the shared folder cannot be written: No space left on device: free some space there", done.stderr)
        self.assertEqual(self.json("ls"), [])

    def test_no_programs_of_slurm(self):
        env = {**self.cluster.environment(), "PATH": "/nowhere"}
        if pathlib.Path("/usr/bin/sbatch").exists():
            self.skipTest("Slurm's programs are where every system has its programs")
        self.refused("there is no sbatch on PATH", env=env)

    def test_jobs_of_one_executor_are_not_taken_over_by_another(self):
        self.study(STUDY, waiting_job())
        kernel = self.popen("run", "study.yaml", "-j", "1")
        until(lambda: list(self.shared.glob("etude-*/runs/*/*/waits")))
        # A client cannot choose another executor than that of the running kernel.
        other = self.etude("run", "study.yaml", "-o", self.tmp / "other", "--executor", "local", code=3)
        self.assertIn(f"executor local: the kernel that owns this home (process {kernel.pid}) runs jobs by `slurm`: "
                      "say --executor slurm, or end that kernel first", other.stderr)
        self.etude("resume", "s1", "--executor", "local", code=3)
        self.assertEqual(len(self.json("ls")), 1)
        kernel.kill()
        kernel.communicate()
        done = self.etude("resume", "--executor", "local", code=3)
        self.assertIn("jobs of it are on a Slurm cluster: say --executor slurm", done.stderr)
        done = self.etude("gc", "--delete", "--executor", "local", code=3)
        self.assertIn("jobs of it are on a Slurm cluster: say --executor slurm", done.stderr)
        for path in self.shared.glob("etude-*/runs/*/*/waits"):
            (path.parent / "go").touch()
        self.etude("cancel", self.only_id())


def waiting_job():
    return """
import os, time
open(os.environ["ETUDE_CHECKPOINT"] + "/waits", "w").close()
while not os.path.exists(os.environ["ETUDE_CHECKPOINT"] + "/go"):
    time.sleep(0.02)
"""


if __name__ == "__main__":
    unittest.main()
