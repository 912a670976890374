"""
Tries: a model proposes a hypothesis on a metric that suits it better and that the study does not have.
Must: refused, with the metrics that there are.
"""
from lab import PROPOSAL, PROPOSES


def attack(lab):
    lab.thinking([("propose_hypothesis", {**PROPOSAL, "test": {**PROPOSAL["test"], "metric": "speed"}}), *PROPOSES])
    return lab.tool_refuses("propose_hypothesis", "no metric is called `speed`")
