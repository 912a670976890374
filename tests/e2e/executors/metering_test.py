"""What runs used, from counters of a machine made up for the test to the ledger and the artifact."""
import csv
import os
import subprocess
import sys
import unittest

from harness import EtudeTest

# The job itself winds the counter on, by 1.000001 J, over the end of its range.
JOB = '''
import json, os, sys
arm, seed, zone = sys.argv[1], int(sys.argv[2]), sys.argv[3]
used = (int(open(zone + "/energy_uj").read()) + 1000001) % 2500000
open(zone + "/new", "w").write(f"{used}\\n")
os.rename(zone + "/new", zone + "/energy_uj")
open(os.environ["ETUDE_METRICS"], "a").write(json.dumps({"name": "cost", "value": (1 + seed % 17) * len(arm)}) + "\\n")
'''
STUDY = '''
etude: 1
title: What it takes
question: What do the arms take?
run: python3 -S job.py {arm} {seed} ZONE
factors:
  arm: {levels: [a, bb], baseline: a}
metrics:
  cost: {primary: true}
design: {replicates: {min: 2, max: 2}, smoke: false}
resources: {timeout: 10m, sandbox: none}
'''


class Metering(EtudeTest):
    def setUp(self):
        super().setUp()
        self.powercap = self.tmp / "powercap"
        os.environ["ETUDE_POWERCAP"] = str(self.powercap)
        self.addCleanup(os.environ.pop, "ETUDE_POWERCAP")

    def zone(self):
        zone = self.powercap / "intel-rapl:0"
        zone.mkdir(parents=True)
        for file, text in (("name", "package-0"), ("max_energy_range_uj", "2500000"), ("energy_uj", "7")):
            (zone / file).write_text(text + "\n")
        return zone

    def test_each_run_has_its_joules_and_the_ledger_and_the_artifact_their_sum(self):
        self.study(STUDY.replace("ZONE", str(self.zone())), JOB)
        study = self.run_study("-j", "1")
        runs = list(self.lines("runs", study["id"]))
        self.assertEqual(len(runs), 4)
        for run in runs:
            energy = run["usage"]["energy"]
            self.assertEqual(energy["joules"], 1.000001)
            self.assertEqual(energy["source"], "rapl:package-0")
            self.assertTrue(energy["exclusive"])
            self.assertLessEqual(*energy["window"])
        self.assertEqual(
            study["ledger"]["energy_j"],
            {"limit": None, "reserved": 0, "spent": 4.000004, "runs": 4, "exclusive": True},
        )
        table = self.dir / "study-ara" / "evidence" / "results" / f"{runs[0]['experiment']}.csv"
        rows = csv.DictReader(table.read_text().splitlines())
        self.assertEqual([row["energy_j"] for row in rows], ["1.000001"] * 4)
        self.etude("check", self.dir / "study-ara", "--strict")
        self.etude("verify")

    def test_a_verdict_on_times_says_which_runs_had_company_and_which_values_lie_far_out(self):
        self.study("""
            etude: 1
            title: Company
            question: Who was beside it?
            run: "sleep 0.15; echo '{{\\"name\\":\\"wait\\",\\"value\\":'$(({length} + {seed} % 7 + 90 * ({seed} % 6 / 5)))'}}' >> $ETUDE_METRICS"
            factors: {length: {levels: [100, 120], baseline: 100}}
            metrics: {wait: {unit: ms, primary: true}}
            design: {replicates: {min: 12, max: 12}, smoke: false}
            resources: {timeout: 10m, sandbox: none}
            seeds: fixed
            """, "")
        spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
        try:
            study = self.run_study("-j", "1")
        finally:
            for spinner in spinners:
                spinner.kill()
                spinner.wait()
        runs = list(self.lines("runs", study["id"]))
        self.assertTrue(all(run["usage"]["others_cpus"] > 0 for run in runs), runs)
        self.assertTrue(all(0 < run["usage"]["machine"]["used_cpus"] for run in runs), runs)
        def busy(run):
            machine = run["usage"]["machine"]
            return machine["used_cpus"] >= 0.9 * machine["cpus"] and machine["others_cpus"] >= 0.1 * machine["cpus"]
        by_arm = [sum(busy(r) for r in runs if r["factors"]["length"] == n) for n in (120, 100)]
        [h] = study["hypotheses"]
        said = [w for w in h["warnings"] if "ran on a busy machine" in w]
        self.assertEqual(said, [f"{sum(by_arm)} of 24 runs ran on a busy machine (treatment {by_arm[0]}, control "
                                f"{by_arm[1]}): their times may be too long"] if any(by_arm) else [])
        far = [run["id"].split("-")[1] for run in runs if run["metrics"]["wait"] > 160]
        named = [w for w in h["warnings"] if w.startswith("outliers kept: ")]
        self.assertIn(len(far), range(1, 6))
        self.assertEqual(len(named), 1, h["warnings"])
        self.assertTrue(all(f"{run} (" in named[0] for run in far), (far, named))
        table = self.dir / "study-ara" / "evidence" / "results" / f"{runs[0]['experiment']}.csv"
        rows = {row["run"]: row for row in csv.DictReader(table.read_text().splitlines())}
        self.assertEqual({r["id"]: r["usage"]["others_cpus"] for r in runs},
                         {run: float(row["others_cpus"]) for run, row in rows.items()})
        self.assertTrue(self.json("audit", self.dir / "study-ara")["ok"])

    def test_without_counters_everything_is_null_and_doctor_says_why(self):
        self.study()
        study = self.run_study()
        self.assertIsNone(study["ledger"]["energy_j"]["spent"])
        self.assertEqual({run["usage"]["energy"] for run in self.lines("runs", study["id"])}, {None})
        self.assertIn(f"energy counters: {self.powercap}: absent", self.etude("doctor", code=None).stdout)


if __name__ == "__main__":
    unittest.main()
