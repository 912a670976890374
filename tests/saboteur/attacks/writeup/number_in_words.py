"""
Tries: a person adds a sentence with a number in words to the report.
Must: the audit calls it a line that the record does not give: nobody annotates a report.
"""


def attack(lab):
    forged = lab.forged()
    forged.write("report.md", forged.text("report.md") + "\nFast is almost three times as cheap in nine cases out of ten.\n")
    forged.seal()
    return lab.flagged(forged.root, "added-line", file="report.md", says="almost three times")
