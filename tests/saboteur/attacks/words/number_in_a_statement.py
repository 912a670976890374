"""
Tries: a model proposes a hypothesis with a number that no run gave.
Must: refused, with the place of the number.
"""
from lab import PROPOSAL, PROPOSES


def attack(lab):
    invented = {**PROPOSAL, "statement": "The fast arm costs 37 % less than the slow one."}
    lab.thinking([("propose_hypothesis", invented), *PROPOSES])
    return lab.tool_refuses("propose_hypothesis", "`37` is an unsupported number")
