"""
Tries: someone adds a trial's row to the table of registered runs, and seals again.
Must: the audit finds a line that the record does not give.
"""


def attack(lab):
    forged = lab.forged()
    name = "evidence/results/E01.csv"
    lines = forged.text(name).splitlines()
    forged.write(name, "\n".join(lines + [lines[-1].replace("s1-r", "s1-r9", 1)]) + "\n")
    forged.seal()
    return lab.flagged(forged.root, "added-line", file=name)
