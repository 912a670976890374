"""
Tries: a person changes what a run reported, point by point, together with the table of runs.
Must: the audit has the points' hash from the event log.
"""
import re


def attack(lab):
    forged = lab.forged()
    name = "evidence/results/E01_points.csv"
    row = forged.text(name).splitlines()[4]
    forged.replace(name, row, re.sub(r",(\d+\.\d+),", r",9\1,", row, count=1))
    forged.seal()
    lab.flagged(forged.root, "metric-mismatch", file="trace/events.jsonl")
    return lab.flagged(forged.root, "changed-evidence", file=name)
