"""
Tries: a model puts the number where fewer look: into the mechanism.
Must: refused, with the field.
"""
from lab import PROPOSAL, PROPOSES


def attack(lab):
    lab.thinking([("propose_hypothesis", {**PROPOSAL, "mechanism": "it does 12 comparisons less"}), *PROPOSES])
    return lab.tool_refuses("propose_hypothesis", "mechanism, line 1, column 9: `12`")
