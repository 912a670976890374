"""
Tries: a model writes the number in words, as half, twice, three-fold, a dozen, a third.
Must: each of them is refused.
"""
from lab import PROPOSAL, PROPOSES

WORDS = ["costs half of what the slow one costs", "is twice as cheap", "is almost three-fold cheaper",
         "saves a dozen points", "costs a third less", "is cheaper by an order of magnitude"]


def attack(lab):
    tries = [("propose_hypothesis", {**PROPOSAL, "statement": f"The fast arm {words}."}) for words in WORDS]
    lab.thinking([*tries, *PROPOSES])
    refused = [refused for tool, refused, _ in lab.answers() if tool == "propose_hypothesis"]
    lab.assertEqual(refused, [True] * len(WORDS) + [False])
    return lab.tool_refuses("propose_hypothesis", "is a number word that nothing supports")
