"""
Tries: a person withdraws the hypothesis that will not hold, to have a smaller family and a clean report.
Must: it keeps its slot in the correction, and the report says that it was withdrawn, and why.
"""


def attack(lab):
    ident = lab.stopped()
    lab.etude("withdraw", ident, "H2", "--why", "it would not hold")
    study = lab.lines("resume", ident, "--budget", "runs=100")[-1]
    first = study["hypotheses"][0]
    lab.assertAlmostEqual(first["level"], 1 - 2 * 0.05 / 2)
    return lab.report_says(study, "| withdrawn | none: it would not hold |")
