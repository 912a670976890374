"""
Tries: someone leaves an unwelcome run out of the event log.
Must: the audit misses it.
"""
import json

from lab import LOG, kind


def attack(lab):
    forged = lab.forged()
    lines = forged.text(LOG).splitlines()
    gone = max(json.loads(line)["payload"]["run"] for line in lines if kind(line) == "RunEnded")
    forged.relog(lambda lines: [line for line in lines if json.loads(line)["payload"].get("run") != gone])
    return lab.flagged(forged.root, "missing-run", file=LOG, says=f"run {gone} of 'E01' was planned")
