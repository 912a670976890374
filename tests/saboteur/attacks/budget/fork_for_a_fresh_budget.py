"""
Tries: a person forks a study whose budget is spent, to have it anew.
Must: what the study spent before the fork is spent in the fork, too.
"""


def attack(lab):
    ident = lab.stopped(runs=9)
    events = lab.lines("log", ident)
    last = max(e["seq"] for e in events if e["type"] == "RunEnded")
    fork = lab.json("fork", ident, "--at", last)
    lab.assertGreaterEqual(fork["ledger"]["runs"]["spent"], 8, fork["ledger"])
    lab.etude("resume", fork["id"], code=4)
    shown = lab.json("show", fork["id"])
    lab.assertEqual((shown["state"], shown["reason"]), ("paused", "budget"))
    return "stopped by the budget, exit 4: the fork's ledger goes on from the study's"
