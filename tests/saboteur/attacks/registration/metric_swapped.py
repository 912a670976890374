"""
Tries: someone turns the metric's goal round in the registration, after the data, and makes every hash agree.
Must: the audit compares it with what the study opened with.
"""
from lab import LOG, registered_anew


def swap(registration):
    registration["metrics"][0]["goal"] = "maximize"


def attack(lab):
    forged = lab.forged()
    forged.relog(lambda lines: registered_anew(lines, swap))
    return lab.flagged(forged.root, "registration-mismatch", file=LOG, says="metrics")
