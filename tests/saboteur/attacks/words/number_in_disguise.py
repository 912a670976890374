"""
Tries: a model hides a number in full-width digits, Roman numerals, fractions, other scripts, split words or entities.
Must: each of them is refused.
"""
from lab import PROPOSAL, PROPOSES

WORDS = ["saves ３７ points", "saves Ⅳ points", "saves ½ of it", "saves ٣٧ points", "is tw-ice as cheap",
         "is cheaper by &#51;7 points",
         "is tw\u200bice as cheap", "is tw\u0456ce as cheap", "saves 3.7e1 points", "is 4x cheaper"]


def attack(lab):
    tries = [("propose_hypothesis", {**PROPOSAL, "statement": f"The fast arm {words}."}) for words in WORDS]
    lab.thinking([*tries, *PROPOSES])
    refused = [refused for tool, refused, _ in lab.answers() if tool == "propose_hypothesis"]
    lab.assertEqual(refused, [True] * len(WORDS) + [False], list(zip(WORDS, refused)))
    return lab.tool_refuses("propose_hypothesis", "`4x` is an unsupported number")
