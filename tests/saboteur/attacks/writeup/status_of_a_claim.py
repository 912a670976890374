"""
Tries: a person turns a refuted claim into a supported one.
Must: the audit says what was recorded: the verdict decides, not the author.
"""


def attack(lab):
    forged = lab.forged()
    forged.replace("logic/claims.md", "**Status**: refuted", "**Status**: supported")
    forged.seal()
    return lab.flagged(forged.root, "changed-status", file="logic/claims.md", says="was recorded as 'refuted'")
