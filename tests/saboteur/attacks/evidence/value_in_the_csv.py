"""
Tries: a person changes one run's value in the table of runs, and seals all hashes again.
Must: the audit shows the line.
"""
import re


def attack(lab):
    forged = lab.forged()
    name = "evidence/results/E01.csv"
    row = forged.text(name).splitlines()[7]
    forged.replace(name, row, re.sub(r",(\d)\d\.", r",1\g<1>.", row, count=1))
    forged.seal()
    return lab.flagged(forged.root, "changed-line", file=name)
