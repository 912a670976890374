"""
Tries: someone turns the refuted hypothesis's direction round in the registration, after the data; every hash agrees.
Must: the audit finds hypotheses that are not those that were proposed.
"""
from lab import LOG, registered_anew


def flip(registration):
    registration["hypotheses"][1]["direction"] = "less"


def attack(lab):
    forged = lab.forged()
    forged.relog(lambda lines: registered_anew(lines, flip))
    return lab.flagged(forged.root, "registration-mismatch", file=LOG, says="hypotheses")
