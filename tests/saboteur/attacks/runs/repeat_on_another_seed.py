"""
Tries: someone repeats a smoke run on another seed, where its value cannot be compared.
Must: the audit says that the repeat is none.
"""
import json

from lab import LOG, kind, rewritten


def attack(lab):
    forged = lab.forged()

    def reseed(payload):
        for run in payload["runs"]:
            if "repeats" in run:
                run["seed"] += 1

    forged.relog(lambda lines: [rewritten(line, reseed) if kind(line) == "RunsQueued" else line for line in lines])
    lab.assertIn('"repeats"', forged.text(LOG))
    return lab.flagged(forged.root, "unregistered-run", file=LOG, says="which is not the smoke run to be repeated")
