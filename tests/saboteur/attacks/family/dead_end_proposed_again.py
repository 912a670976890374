"""
Tries: a model proposes once more, on the same code, what an earlier study of the home refuted, to have another throw.
Must: refused, unless it says what is different this time.
"""
from lab import PROPOSAL, PROPOSES, verdicts

REFUTED = {**PROPOSAL, "statement": "The fast arm costs more.", "test": {**PROPOSAL["test"], "direction": "greater"}}


def attack(lab):
    script = [("propose_hypothesis", REFUTED), ("finish", {"summary": "I proposed what was asked for."})]
    lab.assertEqual(verdicts(lab.thinking(script, args=("-o", lab.tmp / "first"))), {"H1": "refuted"})
    difference = {**PROPOSAL, "difference": "the other way round"}
    second = lab.thinking([script[0], ("propose_hypothesis", difference), PROPOSES[-1]], args=("-o", lab.tmp / "second"))
    lab.assertEqual(verdicts(second), {"H1": "supported"})
    lab.report_says(second, "H1 of s1 (refuted)")
    return lab.tool_refuses("propose_hypothesis", "repeats a dead end")
