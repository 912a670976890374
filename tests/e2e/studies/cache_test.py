"""cache: true: what was run once comes back, where that is honest."""
import unittest

from harness import EtudeTest, JOB, STUDY, verdicts

COUNTING = JOB + """
open(os.environ["STARTS"], "a").write(os.environ["ETUDE_RUN"] + "\\n")
"""


class Cache(EtudeTest):
    def cached_study(self, text, seeds="fixed"):
        starts = self.tmp / "starts"
        text = text.replace("resources: {timeout: 10m}",
                            f"resources: {{timeout: 10m, sandbox: none}}\nenvironment: {{set: {{STARTS: {starts}}}}}\ncache: true\nseeds: {seeds}")
        self.study(text, COUNTING)
        return starts

    def test_trials_come_back_and_what_a_verdict_rests_on_is_run_again(self):
        starts = self.cached_study(STUDY)
        first = self.run_study("-j", "2")
        ran = len(starts.read_text().split())
        self.assertEqual((first["runs"]["cached"], ran), (0, first["runs"]["total"]))
        second = self.run_study("-j", "2", "-o", self.dir / "again")
        self.assertEqual(verdicts(second), verdicts(first))
        self.assertEqual(second["runs"]["cached"], first["runs"]["scratch"])
        self.assertEqual(len(starts.read_text().split()) - ran, first["runs"]["total"] - first["runs"]["scratch"])
        back = [r for r in self.lines("runs", second["id"]) if r["cached_from"]]
        self.assertEqual({r["purpose"] for r in back}, {"smoke"})
        was = {r["id"]: r for r in self.lines("runs", first["id"])}
        for run in back:
            self.assertEqual(run["metrics"], was[run["cached_from"]]["metrics"])
            self.assertIsNone(run["started"])
        self.assertTrue(self.json("verify")["ok"])
        self.assertTrue(self.json("check", self.dir / "again", "--strict")["ok"])
        # Another seed, another version of the code: nothing is the same.
        self.write("study.yaml", (self.dir / "study.yaml").read_text() + "seed: 2\n")
        self.assertEqual(self.run_study("-o", self.dir / "b")["runs"]["cached"], 0)

    def test_deterministic_metrics_come_back_as_evidence(self):
        text = STUDY.replace("primary: true}", "primary: true, deterministic: true}")
        job = COUNTING.replace("(seed * 2654435761 + n * 97)", "(n * 97)")
        starts = self.cached_study(text)
        self.write("job.py", job)
        first = self.run_study("-j", "2")
        ran = len(starts.read_text().split())
        second = self.run_study("-j", "2", "-o", self.dir / "again")
        self.assertEqual(verdicts(second), verdicts(first))
        self.assertEqual(second["runs"]["cached"], second["runs"]["total"])
        self.assertEqual(len(starts.read_text().split()), ran)
        self.assertEqual(second["ledger"]["runs"]["spent"], 0)
        self.assertTrue(all(r["evidence"] for r in self.lines("runs", second["id"]) if r["purpose"] == "registered"))
        self.assertTrue(self.json("check", self.dir / "again", "--strict")["ok"])

    def test_runs_that_get_no_seed_come_back_though_seeds_are_drawn(self):
        text = STUDY.replace("primary: true}", "primary: true, deterministic: true}").replace(" {n} {seed}", " {n} 0")
        job = COUNTING.replace("(seed * 2654435761 + n * 97)", "(n * 97)")
        starts = self.cached_study(text, "drawn")
        self.write("job.py", job)
        first = self.run_study("-j", "2")
        ran = len(starts.read_text().split())
        self.assertEqual((first["runs"]["cached"], ran), (0, first["runs"]["total"]))
        second = self.run_study("-j", "2", "-o", self.dir / "again")
        self.assertEqual(second["runs"]["cached"], second["runs"]["total"])
        self.assertEqual(len(starts.read_text().split()), ran)
        # Each run stands for another one that was executed, on another seed.
        back = [r for r in self.lines("runs", second["id"]) if r["purpose"] == "registered"]
        self.assertEqual(len({r["cached_from"] for r in back}), len(back))
        was = {r["id"]: r for r in self.lines("runs", first["id"])}
        for run in back:
            self.assertEqual(was[run["cached_from"]]["purpose"], "registered")
            self.assertNotEqual(was[run["cached_from"]]["seed"], run["seed"])
        self.assertTrue(self.json("check", self.dir / "again", "--strict")["ok"])
        # Code that reads the seed gets one.
        self.write("job.py", job + "\nprint(os.environ['ETUDE_SEED'])\n")
        self.run_study("-j", "2", "-o", self.dir / "b")
        self.assertEqual(self.run_study("-j", "2", "-o", self.dir / "c")["runs"]["cached"], 0)

    def test_studies_that_do_not_ask_share_nothing(self):
        self.study()
        self.run_study("-j", "2")
        self.assertEqual(self.run_study("-j", "2", "-o", self.dir / "again")["runs"]["cached"], 0)


if __name__ == "__main__":
    unittest.main()
