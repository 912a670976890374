"""Kernels that are killed while their studies run on a real Slurm: no run is lost, and none starts twice.

ETUDE_SLURM_KILLS: kills to survive (default 4; `make soak` asks for 50). ETUDE_SEED: of the instants. ETUDE_SLURM_LONG: also
kills of a study with ETUDE_SLURM_JOBS jobs, and of slurmdbd."""
import collections
import os
import random
import signal
import time
import unittest

from harness import PATIENCE, verdicts
from slurm_case import LONG, STUDY, SlurmCase, needs_accounting

JOBS = int(os.environ.get("ETUDE_SLURM_JOBS", "40"))
KILLS = int(os.environ.get("ETUDE_SLURM_KILLS", "4"))

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


if __name__ == "__main__":
    unittest.main()
