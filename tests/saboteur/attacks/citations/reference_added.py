"""
Tries: a person adds a work to the related work that the study never had.
Must: the audit tells it from what was recorded.
"""


def attack(lab):
    forged = lab.forged()
    work = "\n\n## RW77: Smith et al. (2031), who found the same\n- **Type**: supports\n- **Claims affected**: [C01]\n"
    forged.write("logic/related_work.md", forged.text("logic/related_work.md").rstrip() + work)
    forged.seal()
    return lab.flagged(forged.root, "added-prose", "info", "logic/related_work.md")
