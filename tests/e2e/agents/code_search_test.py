"""Versions of a program that models write, compared by an evaluator that no agent may change: drafts, a failure that is mended,
an improvement, and cheats. Then kills, and the journal once more."""
import re
import shutil
import signal
import subprocess
import unittest

from code_search_case import CodeSearchCase, Engineers, JOB
from harness import until, verdicts


class CodeSearch(CodeSearchCase):
    def test_the_best_version_is_confirmed_and_no_cheat_gains_anything(self):
        model = self.serve(Engineers())
        events, study = self.search("-o", self.tmp / "ara")
        self.assertEqual(verdicts(study), {"H1": "supported"})
        steps = [s["id"] for e in events if e["type"] == "CodePlanned" for s in e["payload"]["steps"]]
        self.assertEqual(steps[:4], ["draft-1", "draft-2", "draft-3", "debug-4"])
        versions = {e["payload"]["version"]["id"]: e["payload"]["version"] for e in events if e["type"] == "CodeProposed"}
        self.assertEqual(set(versions), {"v1", "v2", "v3", "v4", "v5", "v6"})
        ranked = [e["payload"] for e in events if e["type"] == "RungRanked"][0]["candidates"]
        means = {c["cell"]["code"]: c["mean"] for c in ranked}
        self.assertIsNone(means["v1"])
        # It wrote the metric itself, brought a kinder evaluator along, and a module that shadows one: it is what it was.
        scores = self.scores(study["id"])
        self.assertTrue(scores["v3"].items() <= scores["original"].items(), scores)
        self.assertGreaterEqual(len(scores["v3"]), 2)
        self.assertGreater(means["v2"], means["original"] + 0.1)
        self.assertGreater(means["v4"], means["original"])
        self.assertEqual([c["cell"]["code"] for c in ranked if c["kept"]], ["v5"])
        refused = [e["payload"]["answer"]["tool"] for e in events
                   if e["type"] == "ToolReturned" and e["payload"]["answer"]["refused"]]
        self.assertEqual(refused.count("write_file"), 1)
        self.assertEqual(refused.count("finish"), 6)
        # Who mends is told how it failed, and nobody of the test data's scores.
        told = [r["messages"][1]["content"] for r in model.requests if "you mend a version" in r["messages"][0]["content"]][0]
        self.assertIn("name 'skill' is not defined", told)
        self.assertIn("+SKILL = skill", told)
        # Each was run on seeds of its own kind, the best against the person's own on the test data.
        runs = [e["payload"] for e in events if e["type"] == "RunsQueued" and e["payload"]["purpose"] == "registered"]
        self.assertEqual(runs[0]["tier"], "test")
        self.assertEqual({c["code"] for c in runs[0]["cells"]}, {"original", "v5"})
        searched = {r["seed"] for e in events if e["type"] == "RunsQueued" and e["payload"]["purpose"] == "search"
                    for r in e["payload"]["runs"]}
        self.assertFalse(searched & {r["seed"] for r in runs[0]["runs"]})
        diff = (self.tmp / "ara/evidence/code/v5.diff").read_text()
        self.assertIn("-SKILL = 0.6\n", diff)
        self.assertIn("+SKILL = 0.95", diff)
        # The person's own file is as it was.
        self.assertEqual((self.dir / "job.py").read_text(), JOB.lstrip("\n"))
        self.etude("check", self.tmp / "ara", "--strict")
        self.etude("audit", self.tmp / "ara")
        self.assertTrue(self.json("verify")["ok"])
        report = (self.tmp / "ara/report.md").read_text()
        self.assertIn("Version v5 of the code gives a higher acc than the person's own", report)
        self.assertIn("| v4 | debug-4 | v1 |", report)
        # What is confirmed was read by another before, who knew nothing of its scores.
        self.assertIn("| R1 | code of v5 | It does what was said of it. | job.py:1-1 | met: The source does", report)
        vetted = [r["messages"][1]["content"] for r in model.requests if "## The version\n" in r["messages"][1]["content"]]
        self.assertTrue(vetted)
        self.assertFalse([task for task in vetted if re.search(r"\bacc 0\.", task)])
        # Somebody else runs what was confirmed: the version as it was, beside the person's own evaluator.
        home, self.home = self.home, self.tmp / "reader"
        again = self.json("reproduce", self.tmp / "ara", "-j", "2", "-o", self.tmp / "again")
        self.assertEqual((again["outcome"], again["run_counts"]["agrees"]), ("reproduced", 12))
        self.assertEqual([v["observed"] for r in again["runs"] for v in r["values"]],
                         [v["recorded"] for r in again["runs"] for v in r["values"]])
        self.etude("check", self.tmp / "again", "--strict")
        self.etude("audit", self.tmp / "again")
        self.assertTrue(self.json("verify")["ok"])
        self.home = home
        titles = [n["title"] for n in self.json("graph", study["id"], "--format", "json")["nodes"]]
        self.assertIn("v4: mends v1", titles)
        self.assertIn("v1 does not run", titles)
    def outcome(self, study):
        """All that may not depend on who was quicker, or on whether anybody was killed."""
        log = self.lines("log", study["id"])
        return {"steps": [e["payload"]["steps"] for e in log if e["type"] == "CodePlanned"],
                "versions": sorted((e["payload"]["version"]["id"], e["payload"]["version"]["workspace"]["hash"])
                                   for e in log if e["type"] == "CodeProposed"),
                "scores": self.scores(study["id"]),
                "ranked": [e["payload"]["candidates"] for e in log if e["type"] == "RungRanked"],
                "verdicts": verdicts(study),
                "effects": [h["effect"] for h in study["hypotheses"]]}

    def test_killed_again_and_again_it_comes_to_the_same_and_its_journal_leads_there_once_more(self):
        self.serve(Engineers())
        first = self.search("-o", self.tmp / "first")[1]
        model = self.serve(Engineers(delay=0.15))
        study, kills, swept = None, 0, False

        def answered(study):
            """Replies that came; a kill loses others."""
            return sum(e["type"] == "ModelAnswered" and not e["payload"]["end"]["failure"]
                       for e in self.lines("log", study))

        while kills < 12:
            verb = ["resume", study] if study else ["run", "study.yaml", "-j", "2", "-o", self.tmp / "second"]
            process = subprocess.Popen(self.command("--config", self.config, *verb), cwd=self.dir,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            study = study or until(lambda: next((s["id"] for s in self.json("ls") if s["id"] != first["id"]), None))
            # Killed whenever it has come a little further.
            before = answered(study)
            until(lambda: process.poll() is not None or answered(study) > before + 1)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            if not swept and self.count_events("CodeProposed", study) > 1:
                # Every version is needed yet; the folders that jobs start from are made anew. Jobs outlive their kernel, and
                # one that still reads its folder would fail without it.
                until(lambda: subprocess.run(["pgrep", "-f", str(self.home)], stdout=subprocess.DEVNULL).returncode == 1)
                self.etude("gc", "--delete")
                for folder in (self.home / "workspaces").iterdir():
                    shutil.rmtree(folder)
                swept = True
        self.assertGreater(kills, 2)
        self.assertTrue(swept)
        self.etude("--config", self.config, "resume", study, code=None)
        second = self.json("show", study)
        self.assertEqual(self.outcome(second), self.outcome(first))
        log = self.lines("log", study)
        # Nothing that was answered was asked again.
        answered = [e for e in log if e["type"] == "ModelAnswered" and not e["payload"]["end"]["failure"]]
        lost = [e for e in log if e["type"] == "ModelAnswered" and e["payload"]["end"]["failure"]]
        self.assertLessEqual(len(model.requests), len(answered) + len(lost))
        model.close()
        third = self.lines("run", "study.yaml", "-j", "2", "--agents", "replay:" + first["id"], "-o", self.tmp / "third")[-1]
        self.assertEqual(self.outcome(third), self.outcome(first))
        self.assertEqual(third["ledger"]["usd"]["spent"], 0)
        self.assertTrue(self.json("verify")["ok"])


if __name__ == "__main__":
    unittest.main()
