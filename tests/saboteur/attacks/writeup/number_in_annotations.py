"""
Tries: a person adds a number as prose where people may annotate, between the claims.
Must: the audit tells it from what was recorded: added prose, which nothing checks.
"""


def attack(lab):
    forged = lab.forged()
    forged.replace("logic/claims.md", "# Claims\n", "# Claims\n\nFast is 99.9 % cheaper (p < 0.0001).\n")
    return lab.flagged(forged.root, "added-prose", "info", "logic/claims.md")
