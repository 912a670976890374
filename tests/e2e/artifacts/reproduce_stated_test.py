"""What an artifact states of its runs, where its log says otherwise; and an artifact that has left its home."""
import json
import pathlib
import shutil
import unittest

from harness import EtudeTest
from reproduce_test import DETERMINISTIC


class Stated(EtudeTest):
    def recorded(self, text):
        """A study's artifact, read by someone with another home."""
        self.study(text)
        self.assertEqual(self.run_study("-j", "2")["outcome"], "concluded")
        self.home = self.tmp / "reader"
        return self.dir / "study-ara"

    def test_what_the_seal_says_of_a_run_is_held_against_the_log(self):
        ara = self.recorded(DETERMINISTIC)
        seal = (ara / "etude.json").read_text()
        for member, value in [("seed", 4242), ("state", "failed"), ("factors", {"arm": "slow"})]:
            with self.subTest(member):
                forged = json.loads(seal)
                run = next(r for r in forged["runs"] if r["purpose"] == "registered" and r[member] != value)
                run[member] = value
                (ara / "etude.json").write_text(json.dumps(forged, indent=2))
                report = self.json("reproduce", ara, "--sample", "1", "-j", "2", code=1)
                said = [u["what"] for u in report["untrue"]]
                self.assertEqual(len(said), 1, said)
                self.assertIn(f"something else of {run['id']} than the log: ", said[0])
                self.assertIn(member, said[0])

    def test_rows_that_are_gone_or_added_and_pages_that_were_edited_are_named(self):
        ara = self.recorded(DETERMINISTIC)
        results = ara / "evidence/results/E01.csv"
        rows = results.read_text().splitlines()
        table = next((ara / "evidence/tables").glob("*.md"))
        results.chmod(0o644), table.chmod(0o644)
        seed, state = rows[0].split(",").index("seed"), rows[0].split(",").index("state")
        cells = rows[2].split(",")
        reseeded = ",".join(cells[:seed] + ["4242"] + cells[seed + 1:])
        failed = ",".join(cells[:state] + ["failed"] + cells[state + 1:])
        for changed, said in [(rows[:2] + rows[3:], f"lacks {cells[0]}, which the log has"),
                              (rows + [rows[2].replace(cells[0], cells[0] + "9")], "a run that the log does not have"),
                              (rows[:2] + [reseeded] + rows[3:], f"states seed = 4242 for {cells[0]}"),
                              (rows[:2] + [failed] + rows[3:], f"states state = failed for {cells[0]}")]:
            with self.subTest(said):
                results.write_text("\n".join(changed) + "\n")
                report = self.json("reproduce", ara, "--sample", "1", "-j", "2", code=1)
                self.assertTrue(any(said in u["what"] for u in report["untrue"]), report["untrue"])
        results.write_text("\n".join(rows) + "\n")
        table.write_text(table.read_text() + "1\n")
        report = self.json("reproduce", ara, "--sample", "1", "-j", "2", code=1)
        self.assertEqual([u["what"] for u in report["untrue"]],
                         [f"{table.relative_to(ara)} was changed since it was written"])

    def test_from_another_place_without_the_folder_that_it_was_made_in(self):
        ara = self.recorded(DETERMINISTIC)
        away = pathlib.Path(self.tmp) / "elsewhere" / "received"
        shutil.copytree(ara, away, symlinks=True)
        shutil.rmtree(ara)
        shutil.rmtree(self.dir)
        self.dir.mkdir()
        report = self.json("reproduce", away, "-j", "2")
        self.assertEqual(report["outcome"], "reproduced")


if __name__ == "__main__":
    unittest.main()
