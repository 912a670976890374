"""
Tries: a person states a growth with the logarithm, which sounds like a law, beside the test of a straight line.
Must: refused: the scale of the statement is not that of the test.
"""
from lab import HONEST

SLOPE = ("  - {id: H3, statement: The cost grows with the logarithm of n., "
         "test: {kind: slope, metric: cost, along: n, where: {arm: fast}, direction: greater}}\n")


def attack(lab):
    lab.place(HONEST + SLOPE, edits={"baseline: slow}": "baseline: slow}, n: {levels: [1, 2, 4]}"})
    return lab.refused("run", "study.yaml", says="says a logarithm; its test asks about a linear slope")
