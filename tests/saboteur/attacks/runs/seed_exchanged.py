"""
Tries: someone exchanges a run's seed for a luckier one, after the fact.
Must: the audit has the seeds from the registration.
"""
from lab import LOG, rewritten


def exchange(payload):
    payload["runs"][3]["seed"] += 1


def attack(lab):
    forged = lab.forged()
    forged.relog(lambda lines: [rewritten(line, exchange) if '"purpose":"registered"' in line else line for line in lines])
    return lab.flagged(forged.root, "unregistered-run", file=LOG, says="its seed is")
