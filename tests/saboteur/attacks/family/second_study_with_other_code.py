"""
Tries: a person adds a byte to the code, so that a second study seems to be about something else.
Must: the new study names the earlier one, and that its code was other.
"""
from lab import JOB


def attack(lab):
    lab.place()
    lab.run_study("-o", str(lab.dir / "first-ara"))
    lab.place(job=JOB + "# again\n")
    second = lab.run_study("-o", str(lab.dir / "second-ara"))
    lab.assertEqual([(p["study"], p["other_code"]) for p in second["hypotheses"][0]["predecessors"]
                     if p["hypothesis"] == "H1"], [("s1", True)])
    return lab.report_says(second, "on other code, data or conditions: H1 of s1")
