"""
Tries: the server of a model states a price of nothing for each call, to be used far beyond a budget in US dollars.
Must: a stated price far below the configured ones is not believed: the tokens are charged by the configured prices, and
the study pauses (exit 4) at its budget.
"""
from lab import STUDY

BUDGET = 0.05  # US dollars; the configured price is one per million tokens.


def attack(lab):
    study = lab.thinking([("grep", {"text": f"word {n}"}) for n in range(200)],
                         text=STUDY + f"budget: {{usd: {BUDGET}}}\n", code=4, cost=0)
    lab.assertEqual((study["state"], study["reason"]), ("paused", "budget"))
    spent = study["ledger"]["usd"]["spent"]
    lab.assertLessEqual(BUDGET / 2, spent)
    lab.assertLessEqual(spent, BUDGET)
    return f"stopped by the budget, exit 4, after {len(lab.server.requests)} calls, which are charged by the configured prices"
