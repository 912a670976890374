"""One idea after another, kept or discarded: one that does not run, one that writes a huge metric, one that is lucky once,
and one that helps. Then the template of such a night, played without a model."""
import json
import os
import subprocess
import unittest

from code_search_case import CodeSearchCase, DONE, Engineers, GREEDY, STUDY, skill
from harness import ETUDE, verdicts

FLOOR, RETEST = 4, 2


class Ideas(Engineers):
    """The fourth is good on one seed only: that of its first run, which no agent can know."""

    def __init__(self, seeds):
        super().__init__()
        self.seeds = seeds

    def script(self, system, task):
        number = int(task.split("## Your step\n\n")[1].split(":")[0].split("-")[1])
        if number == 4:
            lucky = self.seeds()[FLOOR + 3 * (1 + RETEST)]
            return [skill(f"0.99 if int(sys.argv[1]) == {lucky} else 0.6")] + DONE
        huge = GREEDY.replace('"value": 1.0', '"value": 1e9')
        return {1: [skill("skill")],  # A name that nobody knows.
                2: [("edit_file", {"path": "job.py", "old": "SKILL = skill", "new": "SKILL = 0.6  # a number"})],
                3: [("edit_file", {"path": "job.py", "old": "with open", "new": huge.strip("\n") + "\nwith open"})],
                5: [skill("0.95")],
                6: [("edit_file", {"path": "job.py", "old": "SKILL = 0.95", "new": "SKILL = 0.95  # as it is"})],
                }[number] + DONE


class KeepOrDiscard(CodeSearchCase):
    def test_what_helps_is_kept_and_neither_luck_nor_a_huge_metric_is(self):
        self.write("study.yaml", STUDY
                   .replace("drafts: 3, branches: 3, debug_depth: 2, versions: 6", f"floor: {FLOOR}, retest: {RETEST}, versions: 6")
                   .replace("replicates: {min: 2, max: 4}, confirm: {top: 1, replicates: 6}",
                            "search: keep_or_discard, smoke: false, confirm: {replicates: 4}"))
        self.serve(Ideas(lambda: next(e["payload"]["plan"]["registered"]["seeds"] for e in self.lines("log", "s1")
                                      if e["type"] == "SearchRegistered")))
        events, study = self.search("-o", self.tmp / "ara")
        self.assertEqual(verdicts(study), {"H1": "supported"})
        shown = self.shown(study["id"])
        ideas = {idea["version"]: idea for idea in shown["ideas"]}
        self.assertEqual([v for v, idea in ideas.items() if idea["kept"]], ["v5"])
        self.assertIsNone(ideas["v1"]["first"]["gain"])
        self.assertLess(abs(ideas["v3"]["first"]["gain"]), 0.3)
        self.assertGreater(ideas["v4"]["first"]["gain"], ideas["v4"]["first"]["floor"])
        self.assertLess(ideas["v4"]["retest"]["gain"], ideas["v4"]["retest"]["floor"])
        self.assertEqual((ideas["v6"]["base"], shown["base"]), ("v5", "v5"))
        self.assertEqual(shown["noise"]["runs"], FLOOR)
        self.assertGreater(ideas["v5"]["memory_bytes"], 1e6)
        self.assertEqual(ideas["v5"]["lines"], 1)
        steps = [s["id"] for e in events if e["type"] == "CodePlanned" for s in e["payload"]["steps"]]
        self.assertEqual(steps, ["draft-1", "debug-2", "draft-3", "draft-4", "draft-5", "improve-6"])
        self.etude("check", self.tmp / "ara", "--strict")
        self.etude("audit", self.tmp / "ara")
        self.assertTrue(self.json("verify")["ok"])
        report = (self.tmp / "ara/report.md").read_text()
        self.assertIn("The noise, measured before the first version", report)
        self.assertRegex(report, r"\| v5 \| original \|.*\| the base \| 1 \|")
        self.assertIn("Version v5 of the code gives a higher acc than the person's own", report)


class Template(CodeSearchCase):
    def test_a_rehearsed_night_concludes_and_its_models_see_nothing_that_scores_them(self):
        self.etude("init", self.tmp / "night", "--template", "autoresearch")
        study = self.tmp / "night/study.yaml"
        study.write_text(study.read_text().replace("floor: 5, retest: 3", "floor: 3, retest: 2")
                         .replace("replicates: 12", "replicates: 4").replace("resources: {", "seeds: fixed\nresources: {"))
        process = subprocess.run(["/usr/bin/python3", "rehearse.py", "-j", "2", "-o", self.tmp / "ara"],
                                 cwd=self.tmp / "night", capture_output=True, text=True,
                                 env=os.environ | {"ETUDE": str(ETUDE), "ETUDE_HOME": str(self.home)})
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        study = self.json("show", "s1")
        self.assertEqual(verdicts(study), {"H1": "supported"})
        ideas = {idea["version"]: idea for idea in self.shown("s1")["ideas"]}
        self.assertTrue(ideas["v2"]["kept"])
        self.assertIsNone(ideas["v3"]["first"]["gain"])
        # The fifth looked for the text, the metric and the evaluator's memory.
        run = next(r["id"] for r in self.lines("runs", "s1") if r["label"] == "v5")
        printed = self.etude("run-log", run, "--stream", "stderr").stdout
        for place in ("/etude/work/val.txt", "/etude/metrics.jsonl"):
            self.assertIn(f"{place} Permission denied", printed)
        self.assertNotIn("can be read", printed)
        self.etude("audit", self.tmp / "ara")


del CodeSearchCase

if __name__ == "__main__":
    unittest.main()
