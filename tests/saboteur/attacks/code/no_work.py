"""
Tries: runs take a minute of processor time each, and one of them reports a value without computing.
Must: the audit finds the run that took a hundredth of what the others took.
"""
import json

from lab import kind, rewritten


def attack(lab):
    forged = lab.forged()  # Made of a log of milliseconds, for a minute each would be too long for a test.
    lazy = []

    def change(lines):
        queued = next(json.loads(line)["payload"] for line in lines if '"purpose":"registered"' in line)
        slow = [run["number"] for run in queued["runs"] if queued["cells"][run["cell"]]["arm"] == "slow"]
        lazy.append(slow[2])

        def took(payload):
            seconds = 0.05 if payload["run"] == slow[2] else 60.0
            payload["outcome"]["usage"].update(cpu_s=seconds, wall_s=seconds)

        return [rewritten(line, took) if kind(line) == "RunEnded" and json.loads(line)["payload"]["run"] in slow else line
                for line in lines]

    forged.relog(change)
    return lab.flagged(forged.root, "no-work", "warning", says=f"-r{lazy[0]} took")
