"""
Tries: a model records as a decision what the experiment will have shown.
Must: a sentence that claims a direction has no verdict to agree with, and is refused.
"""
from lab import PROPOSES


def attack(lab):
    decision = {"title": "Fast it is", "choice": "the fast arm", "alternatives": ["the slow arm"],
                "rationale": "The fast arm is faster and has a lower cost than the slow arm."}
    lab.thinking([("record_decision", decision), *PROPOSES])
    return lab.tool_refuses("record_decision", "claims a direction")
