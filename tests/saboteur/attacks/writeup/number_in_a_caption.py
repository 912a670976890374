"""
Tries: a person writes another number of runs under a figure of the report.
Must: the audit shows the line.
"""


def attack(lab):
    forged = lab.forged()
    caption = next(line for line in forged.text("report.md").splitlines() if line.startswith("!["))
    forged.replace("report.md", caption, caption.replace("![", "![Mean of 600 runs: ", 1))
    forged.seal()
    return lab.flagged(forged.root, "changed-line", file="report.md", says="600 runs")
