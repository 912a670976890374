"""Studies on a real Slurm, from the first question to the verdict, and how often Slurm is asked.

ETUDE_SLURM_JOBS: of the large study (default 40; `make soak` asks for 1,000)."""
import collections
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time
import unittest

from harness import PATIENCE, until, verdicts
from slurm_case import JOB, STUDY, SlurmCase
from small_image import BUSYBOX, MKSQUASHFS, make_image, make_root

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "docs/guide"
JOBS = int(os.environ.get("ETUDE_SLURM_JOBS", "40"))

CONTINUED_JOB = '''
import os, sys
x, steps, seed = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
done = 0
if "ETUDE_CONTINUE" in os.environ:
    done, of = map(int, open(os.environ["ETUDE_CONTINUE"] + "/state.txt").read().split())
    assert of == seed
with open("state.txt", "w") as state:
    state.write(f"{steps} {seed}")
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(f'{{"name": "loss", "value": {(x - 2) ** 2 + 1 / steps + seed % 997 / 10000}}}\\n')
    out.write(f'{{"name": "computed", "value": {steps - done}}}\\n')
'''
CONTINUED = '''
etude: 1
title: Tuned on a cluster
question: Which x gives the lowest loss?
kind: optimize
run: python3 -S job.py {x} {steps} {seed}
factors:
  x: {levels: [0, 1, 2, 3, 4, 5, 6, 7, 8], baseline: 0, type: int}
  steps: {levels: [1, 3], type: int}
fidelity: {factor: steps, eta: 3, continue: state.txt}
metrics:
  loss: {goal: minimize, primary: true}
  computed: {goal: minimize}
design: {replicates: {min: 2, max: 2}, smoke: false, confirm: {top: 1, replicates: 3}}
budget: {runs: 60, wall: 10m}
resources: {timeout: 10m}
'''


class OneStudy(SlurmCase):
    def test_a_study_reaches_its_verdicts_and_its_jobs_know_nothing_of_slurm(self):
        self.study(STUDY, JOB)
        before = set(self.cluster.jobs())
        study = self.run_study()
        self.assertEqual(verdicts(study), {"H1": "supported", "H2": "refuted"})
        self.assertEqual(self.json("show", study["id"])["environment"]["machine"]["nodes"], "2 kinds")
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

    def test_a_run_on_a_node_continues_from_what_another_run_left(self):
        self.study(CONTINUED, CONTINUED_JOB)
        study = self.run_study("-j", "4")
        self.assertEqual((study["state"], study["outcome"]), ("ended", "concluded"), study["detail"])
        runs = {run["id"]: run for run in self.lines("runs", study["id"])}
        continuing = [run for run in runs.values() if "continues" in run]
        self.assertGreaterEqual(len(continuing), 4)
        for run in continuing:
            self.assertEqual(run["metrics"]["computed"], 2)
            self.assertEqual(run["seed"], runs[run["continues"]]["seed"])
        self.assertEqual({run["metrics"]["computed"] for run in runs.values() if run["purpose"] == "registered"}, {3})

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

    def test_the_guide_shows_how_a_night_runs_on_a_cluster(self):
        """The commands of night.md, with the folder and the partition of this cluster."""
        part = (GUIDE / "night.md").read_text().split("\n## Slurm\n")[1]
        blocks = dict(re.findall(r"^```(yaml|sh)\n(.*?)^```", part, re.M | re.S))
        shown = "shared: /scratch/you, partition: gpu"
        self.assertIn(shown, blocks["yaml"])
        self.config.write_text(blocks["yaml"].replace(shown, f"shared: {self.shared}, partition: main"))
        for name in ("night.yaml", "train.py"):
            shutil.copy(GUIDE / "moons" / name, self.dir)
        commands = [shlex.split(line, comments=True) for line in blocks["sh"].splitlines()]
        self.assertEqual([words[:2] for words in commands], [["etude", "doctor"], ["etude", "run"]])
        for words in commands:
            self.etude(*words[1:])
        # The page gives it too small a budget, and more on the next morning.
        self.etude("watch", "s1", code=4)
        runs = self.lines("runs", "s1")
        self.assertEqual({run["state"] for run in runs if "node" in run}, {"succeeded"})
        self.assertEqual(sum(run.get("node") in ("n1", "n2") for run in runs), 12, runs)

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
            if JOBS >= 1000:
                # What the kernel itself takes; the rest is slurmctld's.
                self.assertLess(took - sum(end - first for first, end in arrays), JOBS / 200)
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


if __name__ == "__main__":
    unittest.main()
