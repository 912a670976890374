"""
Tries: someone calls a run that ended with exit status 1 a success.
Must: the audit sees how its job ended.
"""
import json

from lab import LOG, kind


def attack(lab):
    forged = lab.forged()

    def change(lines):
        at = next(i for i, line in enumerate(lines) if kind(line) == "RunEnded" and json.loads(line)["payload"]["run"] == 5)
        line = lines[at]
        assert '"exit":0' in line
        return lines[:at] + [line.replace('"exit":0', '"exit":1', 1)] + lines[at + 1:]

    forged.relog(change)
    return lab.flagged(forged.root, "decision-mismatch", file=LOG, says="its outcome says failed")
