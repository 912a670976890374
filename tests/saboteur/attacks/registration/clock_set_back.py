"""
Tries: someone sets the wall clock so that a registration seems older than runs that were there before it.
Must: the audit finds runs that are older than their registration, and events against the machine's own clock.
"""
import json

from lab import LOG, kind


def attack(lab):
    forged = lab.forged()

    def later(lines):
        at = next(i for i, line in enumerate(lines) if kind(line) == "ExperimentRegistered")
        event, last = json.loads(lines[at]), json.loads(lines[-1])
        moved = lines[at].replace(f'"boot":{event["boot"]}', f'"boot":{last["boot"]}')
        return lines[:at] + [moved.replace(f'"time":{event["time"]}', f'"time":{last["time"]}')] + lines[at + 1:]

    forged.relog(later)
    lab.flagged(forged.root, "older-than-registration", "warning", LOG)
    return lab.flagged(forged.root, "out-of-order", file=LOG)
