"""
Tries: someone makes the smallest effect worth finding larger, after the data, where it was registered; hashes agree.
Must: the audit finds a hypothesis that is not the one that was proposed, and a size that does not follow.
"""
from lab import LOG, registered_anew


def enlarge(registration):
    registration["hypotheses"][0]["smallest_effect"] = {"kind": "sd", "value": 3.0}


def attack(lab):
    forged = lab.forged()
    forged.relog(lambda lines: registered_anew(lines, enlarge))
    return lab.flagged(forged.root, "registration-mismatch", file=LOG, says="hypotheses")
