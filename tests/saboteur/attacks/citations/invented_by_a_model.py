"""
Tries: a model cites works that the study does not have, by key and by name.
Must: each citation is refused.
"""
from lab import PROPOSAL, PROPOSES

WORDS = ["as in [@smith2031]", "as \\cite{smith2031} found", "as Smith et al. found", "as @smith2031 says"]


def attack(lab):
    tries = [("propose_hypothesis", {**PROPOSAL, "mechanism": f"it does less, {words}"}) for words in WORDS]
    lab.thinking([*tries, *PROPOSES])
    refused = [refused for tool, refused, _ in lab.answers() if tool == "propose_hypothesis"]
    lab.assertEqual(refused, [True] * len(WORDS) + [False], lab.answers())
    return lab.tool_refuses("propose_hypothesis", "`smith2031` is an unbound citation")
