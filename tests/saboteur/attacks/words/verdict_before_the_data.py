"""
Tries: a model says that its hypothesis is supported before a run has ended.
Must: refused: there is no verdict.
"""
from lab import PROPOSAL


def attack(lab):
    decision = {"title": "Done", "choice": "to conclude", "alternatives": ["none"], "rationale": "H1 is supported."}
    lab.thinking([("propose_hypothesis", PROPOSAL), ("record_decision", decision),
                  ("finish", {"summary": "I proposed the contrast that was asked for."})])
    return lab.tool_refuses("record_decision", "speaks of a verdict on H1, which has none yet")
