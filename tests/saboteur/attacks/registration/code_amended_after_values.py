"""
Tries: a person mends the code when values had been seen, so that the arms change places.
Must: the hypotheses that were open are withdrawn, keep their slots, and count once more; none is judged on mixed runs.
"""
from lab import JOB, verdicts


def attack(lab):
    ident = lab.stopped(edits={"max: 6}": "max: 6}, family: 2"})
    lab.write("job.sh", JOB.replace("? 40 : 50", "? 60 : 50"))
    lab.etude("amend", ident, "--why", "it looked wrong")
    study = lab.lines("resume", ident, "--budget", "runs=100")[-1]
    lab.assertEqual(verdicts(study), {"H1": "inconclusive", "H2": "inconclusive", "H1-2": "inconclusive",
                                      "H2-2": "inconclusive"})
    lab.assertEqual([h["status"] for h in study["hypotheses"]], ["final", "final", "exploratory", "exploratory"])
    return "withdrawn, and tested anew beyond the family: exploratory, never supported"
