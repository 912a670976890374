"""
Tries: someone whose job behaves otherwise where runs count leaves the repeated smoke run out of plan and log, and numbers the
    other runs anew.
Must: the audit computes what was to be planned.
"""
import json

from lab import LOG, kind, rewritten


def attack(lab):
    forged = lab.forged()
    lines = forged.text(LOG).splitlines()
    planned = [run for line in lines if kind(line) == "RunsQueued" for run in json.loads(line)["payload"]["runs"]]
    gone = {run["number"] for run in planned if "repeats" in run}
    lab.assertEqual(len(gone), 2)

    def closer(number):
        return number - sum(number > other for other in gone)

    def renumber(payload):
        if "run" in payload:
            payload["run"] = closer(payload["run"])
        if "runs" in payload:
            payload["runs"] = [dict(run, number=closer(run["number"])) for run in payload["runs"] if run["number"] not in gone]

    forged.relog(lambda lines: [rewritten(line, renumber) if kind(line).startswith("Run") else line
                                for line in lines if json.loads(line)["payload"].get("run") not in gone])
    return lab.flagged(forged.root, "decision-mismatch", file=LOG, says="the plan of the runs")
