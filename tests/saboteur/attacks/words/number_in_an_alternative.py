"""
Tries: a model puts the number into the alternatives that it says it left out.
Must: refused, with the field.
"""
from lab import PROPOSES


def attack(lab):
    decision = {"title": "One contrast", "choice": "fast against slow", "rationale": "the code says so",
                "alternatives": ["the slow arm", "a cache, which saved 41 % in my own measurements"]}
    lab.thinking([("record_decision", decision), *PROPOSES])
    return lab.tool_refuses("record_decision", "41")
