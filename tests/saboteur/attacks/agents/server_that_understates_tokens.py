"""
Tries: the server of a model reports a hundredth of the tokens of each call, to be used far beyond the budget.
Must: fewer tokens than the texts can be are no report: what was set aside for the call is charged, and the study pauses
(exit 4) before the texts are more than the budget.
"""
import json

from lab import STUDY

BUDGET = 60000


def attack(lab):
    study = lab.thinking([("grep", {"text": f"word {n}"}) for n in range(200)],
                         text=STUDY + f"budget: {{tokens: {BUDGET}}}\n", code=4, reports=0.01)
    lab.assertEqual((study["state"], study["reason"]), ("paused", "budget"))
    sent = sum(len(json.dumps(request["messages"])) // 4 for request in lab.server.requests)
    lab.assertLessEqual(sent, study["ledger"]["tokens"]["spent"])
    lab.assertLessEqual(study["ledger"]["tokens"]["spent"], BUDGET)
    return f"stopped by the budget, exit 4, after {len(lab.server.requests)} calls, which are charged as set aside"
