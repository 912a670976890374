"""
Tries: a person, and then a model, says the opposite of what the test asks, to have the sentence printed beside its ✓.
Must: refused, with what the statement says and what the test asks.
"""
from lab import PROPOSAL, PROPOSES


def attack(lab):
    lab.place(edits={"statement: Fast costs less.": "statement: Fast costs more than slow."})
    how = lab.refused("run", "study.yaml", says="says that `cost` is higher under fast (treatment) than under slow (control); "
                                                "its test asks whether it is lower there")
    lab.thinking([("propose_hypothesis", {**PROPOSAL, "statement": "The slow arm costs less than the fast one."}), *PROPOSES])
    lab.tool_refuses("propose_hypothesis", "its test asks whether it is lower there")
    return how
