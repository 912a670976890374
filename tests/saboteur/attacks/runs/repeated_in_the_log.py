"""
Tries: someone adds a second attempt of a run whose value was not liked, with a better value.
Must: the audit says that the first one did not ask for it.
"""
import json
import re

from lab import LOG, kind, rewritten


def attack(lab):
    forged = lab.forged()

    def change(lines):
        queued = next(line for line in lines if '"purpose":"registered"' in line)
        runs = json.loads(queued)["payload"]["runs"]
        run, number = runs[0]["number"], max(r["number"] for r in runs) + 1
        at = next(i for i, line in enumerate(lines) if kind(line) == "RunEnded" and json.loads(line)["payload"]["run"] == run)

        def once_more(payload):
            payload["cells"] = [payload["cells"][runs[0]["cell"]]]
            payload["runs"] = [dict(runs[0], number=number, cell=0, retry_of=run, attempt=2)]

        def renumbered(payload):
            payload["run"] = number

        start = next(line for line in lines if kind(line) == "RunStarting")
        again = [rewritten(queued, once_more), rewritten(start, renumbered), rewritten(lines[at], renumbered)]
        again = [re.sub(r'"boot":\d+', f'"boot":{json.loads(lines[at])["boot"]}', line, count=1) for line in again]
        return lines[: at + 1] + again + lines[at + 1:]

    forged.relog(change)
    return lab.flagged(forged.root, "illegal-retry", file=LOG, says="did not ask for it")
