"""
Tries: a script ignores its seed, so that replicates are copies of one run.
Must: the check says so; the verdict is inconclusive; the audit finds a constant metric.
"""
from lab import JOB


def attack(lab):
    lab.place(job=JOB.replace("srand(seed % 1000003 ", "srand(7 "))
    study = lab.run_study()
    lab.assertEqual({h["verdict"] for h in study["hypotheses"]}, {"inconclusive"})
    lab.check_found(study, "a new seed changed no metric")
    return lab.flagged(study["artifact"], "constant-metric", "warning")
