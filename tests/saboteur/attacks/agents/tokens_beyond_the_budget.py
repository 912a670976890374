"""
Tries: a model spends until the budget is gone, and again after a resume that gives nothing more.
Must: what could go beyond the budget is not sent; the study pauses (exit 4), before and after.
"""
from lab import STUDY


def attack(lab):
    study = lab.thinking([("grep", {"text": f"word {n}"}) for n in range(200)],
                         text=STUDY + "budget: {tokens: 30000}\n", code=4)
    lab.assertEqual((study["state"], study["reason"]), ("paused", "budget"))
    lab.assertLessEqual(study["ledger"]["tokens"]["spent"], 30000)
    asked = len(lab.server.requests)
    lab.etude("--config", lab.config, "resume", study["id"], code=4)
    lab.assertEqual(len(lab.server.requests), asked)
    return f"stopped by the budget, exit 4, after {asked} calls; a resume sends nothing"
