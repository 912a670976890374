"""
Tries: someone leaves a run out of plan and log and numbers the others anew, without a hole.
Must: the registration says how many there were.
"""
import json

from lab import LOG, kind, rewritten


def attack(lab):
    forged = lab.forged()
    lines = forged.text(LOG).splitlines()
    planned = [run for line in lines if kind(line) == "RunsQueued" for run in json.loads(line)["payload"]["runs"]]
    gone = min(run["number"] for run in planned if run["number"] > 5 and "repeats" not in run)

    def closer(number):
        return number - 1 if number > gone else number

    def renumber(payload):
        if "run" in payload:
            payload["run"] = closer(payload["run"])
        if "runs" in payload:
            payload["runs"] = [dict(run, number=closer(run["number"])) for run in payload["runs"] if run["number"] != gone]

    forged.relog(lambda lines: [rewritten(line, renumber) if kind(line).startswith("Run") else line
                                for line in lines if json.loads(line)["payload"].get("run") != gone])
    return lab.flagged(forged.root, "missing-run", file=LOG, says="registered 6 runs of its cell")
