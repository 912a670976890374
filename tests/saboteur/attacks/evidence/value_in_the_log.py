"""
Tries: a person halves a run's value in the event log and computes chain, head, count and all hashes again.
Must: the audit summarises the points again, and analyses the runs again.
"""
import json

from lab import LOG, kind, rewritten


def attack(lab):
    forged = lab.forged()
    lines = forged.text(LOG).splitlines()
    at = next(i for i, line in enumerate(lines)
              if kind(line) == "RunEnded" and json.loads(line)["payload"]["run"] == len(lines) // 9 + 3)

    def better(payload):
        payload["measurement"]["values"]["cost"]["value"] /= 2

    forged.relog(lambda lines: lines[:at] + [rewritten(lines[at], better)] + lines[at + 1:])
    lab.flagged(forged.root, "metric-mismatch", file=LOG)
    return lab.flagged(forged.root, "score-mismatch", file=LOG)
