"""
Tries: a model proposes once more what the artifact that its study extends tested without success, in a home that never ran it.
Must: refused, unless it says what is different this time.
"""
import shutil

from lab import HONEST, PROPOSAL, PROPOSES, STUDY, verdicts

WORSE = {**PROPOSAL, "statement": "The fast arm costs more.", "test": {**PROPOSAL["test"], "direction": "greater"}}


def attack(lab):
    first = HONEST.split("  - {id: H1")[0] + "  - {id: H2" + HONEST.split("  - {id: H2")[1]
    lab.place(first)
    lab.assertEqual(verdicts(lab.concluded("-o", lab.tmp / "earlier-ara")), {"H2": "refuted"})
    shutil.rmtree(lab.home)
    difference = {**PROPOSAL, "difference": "the other way round"}
    second = lab.thinking([("propose_hypothesis", WORSE), ("propose_hypothesis", difference), PROPOSES[-1]],
                          text=STUDY + "workspace: .\nextend: ../earlier-ara\n", args=("-o", lab.tmp / "second"))
    lab.assertEqual(verdicts(second), {"H1": "supported"})
    lab.report_says(second, "It repeats a dead end of that artifact.")
    return lab.tool_refuses("propose_hypothesis", "repeats a dead end: H2 of ara:earlier, which this study extends")
