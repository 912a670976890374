"""
Tries: a script makes its numbers up from arm and seed, with noise, as an experiment's would be.
Must: it is told from a simulation that is meant to be one.
"""
from lab import VERDICTS, verdicts

KNOWN_GAP = ("no machine can tell a fabrication from a simulation: the job of every honest study here is one. All code is in "
             "the artifact, for people to read, and `etude reproduce` runs it again, which proves no more than that")


def attack(lab):
    lab.place()
    study = lab.run_study()
    lab.assertEqual(verdicts(study), VERDICTS)
    findings = lab.json("audit", study["artifact"])["findings"]
    lab.open_gap(lambda: lab.assertTrue(findings))
    return f"audit: {findings}"
