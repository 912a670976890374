"""
Tries: a person states a growth with the logarithm, which sounds like a law, beside the test of a straight line.
Must: refused: the scale of the statement is not that of the test.
"""


def attack(lab):
    slope = ("  - {id: H3, statement: The cost grows with the logarithm of n., "
             "test: {kind: slope, metric: cost, along: n, where: {arm: fast}, direction: greater}}\n")
    lab.place(edits={"baseline: slow}": "baseline: slow}, n: {levels: [1, 2, 4]}",
                     "resources:": "resources:"})
    text = (lab.dir / "study.yaml").read_text() + slope
    lab.write("study.yaml", text)
    return lab.refused("run", "study.yaml", says="says a logarithm; its test asks about a linear slope")
