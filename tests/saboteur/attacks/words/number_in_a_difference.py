"""
Tries: a model puts the number into what it says is different this time.
Must: refused, with the field.
"""
from lab import PROPOSAL, PROPOSES


def attack(lab):
    lab.thinking([("propose_hypothesis", {**PROPOSAL, "difference": "it saved 41 % in my own measurements"}), *PROPOSES])
    return lab.tool_refuses("propose_hypothesis", "41")
