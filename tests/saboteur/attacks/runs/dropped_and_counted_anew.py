"""
Tries: someone leaves a run out of plan and log and numbers the others anew, without a hole.
Must: the registration says how many there were.
"""
import json

from lab import LOG, kind, rewritten


def attack(lab):
    forged = lab.forged()
    lines = forged.text(LOG).splitlines()
    gone = min(json.loads(line)["payload"]["run"] for line in lines if kind(line) == "RunEnded"
               and json.loads(line)["payload"]["run"] > 5)

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
