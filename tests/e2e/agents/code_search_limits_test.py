"""A search over versions of a program stops while the budget still suffices to confirm the best one."""
import datetime
import unittest

from code_search_case import CodeSearchCase, Engineers, STUDY
from harness import verdicts


class CodeSearchLimits(CodeSearchCase):
    def ended_for(self, budget, delay, what):
        self.serve(Engineers(delay))
        self.write("study.yaml", STUDY.replace("versions: 6", "versions: 100") + f"budget: {{{budget}}}\n")
        study = self.search("-o", self.tmp / what)[1]
        over = [e["payload"]["over"] for e in self.lines("log", study["id"])
                if e["type"] == "CodePlanned" and not e["payload"]["steps"]]
        self.assertEqual(len(over), 1)
        self.assertIn(what, over[0])
        # The best so far is confirmed all the same, whatever engineers were at.
        self.assertEqual(study["state"], "ended")
        self.assertEqual(list(verdicts(study)), ["H1"])
        self.assertEqual(len([r for r in self.lines("runs", study["id"]) if r["evidence"]]), 12)
        self.assertTrue(self.json("verify")["ok"])
        return study

    def test_it_stops_while_there_is_time_to_confirm_even_in_the_middle_of_a_step(self):
        # How long this machine takes for a search of six versions, as busy as it is now; then three times that for many.
        self.serve(Engineers(0.6))
        _, short = self.search("-o", self.tmp / "short")
        wall = 3 * int(1 + short["ledger"]["wall_s"]["spent"])
        study = self.ended_for(f"wall: {wall}s", 0.6, "wall")
        log = self.lines("log", study["id"])
        at = lambda event: datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00"))
        over = next(e for e in log if e["type"] == "CodePlanned" and not e["payload"]["steps"])
        self.assertLess((at(over) - at(log[0])).total_seconds(), wall)

    def test_it_stops_while_there_are_runs_to_confirm(self):
        study = self.ended_for("runs: 40", 0, "runs")
        self.assertLessEqual(study["ledger"]["runs"]["spent"], 40)

    def test_it_stops_when_tokens_are_spent_and_goes_on_with_what_it_has(self):
        study = self.ended_for("tokens: 90000", 0, "tokens")
        self.assertLessEqual(study["ledger"]["tokens"]["spent"], 90000)


if __name__ == "__main__":
    unittest.main()
