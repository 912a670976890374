"""
Tries: a person changes one value in the report's table of verdicts, and seals all hashes again.
Must: the audit shows the line; the seal's hashes count for nothing.
"""


def attack(lab):
    forged = lab.forged()
    lines = forged.text("report.md").splitlines()
    row = next(line for line in lines if line.startswith("|") and "H1" in line and "0." in line)
    forged.replace("report.md", row, row.replace("0.", "0.0", 1))
    forged.seal()
    return lab.flagged(forged.root, "changed-line", file="report.md")
