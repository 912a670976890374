"""Forecasts of memory: what runs are expected to take, what they took, and a run that is expected to take more than
there is."""
import unittest

from harness import EtudeTest

# Takes as many megabytes as its size says, but at most 150. The size before the last takes longest, so that it runs when
# the last is next.
JOB = '''
import json, os, sys, time
size, seed = int(sys.argv[1]), int(sys.argv[2])
held = bytearray(min(size, 150) * 1_000_000)
held[::4096] = b"x" * len(held[::4096])
time.sleep(1.0 if size == 90 else 0.1)
with open(os.environ["ETUDE_METRICS"], "a") as out:
    out.write(json.dumps({"name": "took", "value": size % 7 + seed % 1009 / 1000}) + "\\n")
'''

STUDY = '''
etude: 1
title: Sizes
question: Which size takes least?
run: python3 -S job.py {size} {seed}
factors:
  size: {levels: [LEVELS], baseline: 50}
metrics:
  took: {goal: minimize, primary: true}
hypotheses:
HYPOTHESESdesign: {replicates: {min: 2, max: 2}, smoke: false, order: listed}
resources: {timeout: 60s, sandbox: none}
'''
# Two runs at a time: when the largest is next, at least three sizes have ended, and what runs has a forecast.
SIZES = [50, 100, 150, 60, 70, 80, 90, 10 ** 9]
HYPOTHESES = "".join(f"  - {{id: H{i}, statement: Size {size} differs., test: {{metric: took, treatment: {{size: {size}}}, "
                     "control: {size: 50}, direction: different}}\n" for i, size in enumerate(SIZES[1:], 1))
STUDY = STUDY.replace("LEVELS", str(SIZES)[1:-1]).replace("HYPOTHESES", HYPOTHESES)


class MemoryForecast(EtudeTest):
    def test_a_forecast_beside_what_was_taken(self):
        study = self.study(STUDY, JOB)
        told = self.etude("run", study, "-j", "2").stdout
        short = [line for line in told.splitlines() if "is expected to take" in line]
        self.assertTrue(short, told)
        for line in short:
            self.assertRegex(line, r"  s1-r\d+ waits for all memory of this machine, [\d.]+ [GT]B, of which [\d.]+ [kMGT]?B "
                                   r"are free: it is expected to take [\d.]+ PB")
        self.assertEqual(len({line.split()[0] for line in short}), len(short))
        runs = [run for run in self.lines("runs", "s1") if "forecast_bytes" in run["lease"]]
        errors = self.json("show", "s1")["memory"]["machine"]
        self.assertEqual(errors["runs"], len(runs))
        of_size = {run["factors"]["size"] for run in runs}
        self.assertIn(10 ** 9, of_size)
        for run in runs:
            took, expected = run["usage"]["rss_peak_bytes"], run["lease"]["forecast_bytes"]
            if run["factors"]["size"] < 200:
                self.assertLess(abs(expected / took - 1.1), 0.15)
        self.assertEqual(errors["exceeded"], 0)
        self.assertRegex(self.etude("show", "s1", "--all").stdout, r"memory +forecasts of \d+ runs: [\d.e+]+ % off \(median\), "
                                                          r"0 exceeded; s1-r\d+: ")

    def test_earlier_studies_tell_of_settings_that_a_study_has_not_run(self):
        def study(sizes, job=JOB):
            pairs = [f"  - {{id: H{i}, statement: Size {size} differs., test: {{metric: took, treatment: {{size: {size}}}, "
                     f"control: {{size: {sizes[0]}}}, direction: different}}}}" for i, size in enumerate(sizes[1:], 1)]
            head, tail = STUDY.split("hypotheses:\n")
            head = head.replace(str(SIZES)[1:-1], ", ".join(map(str, sizes))).replace("baseline: 50", f"baseline: {sizes[0]}")
            return self.study(head + "hypotheses:\n" + "\n".join(pairs) + "\n" + tail[tail.index("design:"):], job)

        self.etude("run", study([50, 100, 150]), "-j", "2")
        self.etude("run", study([120, 50]), "-j", "1")
        expected = {run["factors"]["size"]: run["lease"]["forecast_bytes"]
                    for run in reversed(self.lines("runs", "s2")) if "forecast_bytes" in run["lease"]}
        took = {run["factors"]["size"]: run["usage"]["rss_peak_bytes"] for run in self.lines("runs", "s2")}
        # The first run of each size had a forecast: one of its own earlier runs, one on the line through these.
        self.assertEqual(set(expected), {50, 120})
        for size in (50, 120):
            self.assertLess(abs(expected[size] / took[size] - 1.1), 0.15)
        [opened] = [event for event in self.lines("log", "s2") if event["type"] == "StudyOpened"]
        self.assertEqual([peak["cell"] for peak in opened["payload"]["peaks"]], [{"size": "100"}, {"size": "150"}, {"size": "50"}])
        # On other code they tell nothing.
        self.etude("run", study([120, 50], JOB + "# other\n"), "-j", "1")
        first = [run for run in self.lines("runs", "s3") if run["replicate"] == 1]
        self.assertEqual([run["lease"].get("forecast_bytes") for run in first], [None, None])


if __name__ == "__main__":
    unittest.main()
