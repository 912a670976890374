"""
Tries: a person writes a better result into the paper's front matter.
Must: the audit shows the line: people complete who wrote it, not what it found.
"""


def attack(lab):
    forged = lab.forged()
    lines = forged.text("PAPER.md").splitlines()
    title = next(line for line in lines if line.startswith("title:"))
    forged.replace("PAPER.md", title, 'title: "Fast is 99 % cheaper"')
    forged.seal()
    return lab.flagged(forged.root, "changed-line", file="PAPER.md")
