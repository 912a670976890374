"""
Tries: a person rewords the recorded reasons (a text or another code instead of the code, another value, praise of a run) and computes chain and hashes again.
Must: the audit derives every reason again.
"""

from forgery import Forgery
from lab import LOG, kind, rewritten


def praised(payload):
    payload["results"][0]["reason"] = "Supported beyond doubt."


def another_code(payload):
    payload["results"][0]["reason"]["code"] = "withdrawn"


def another_value(payload):
    values = payload["results"][0]["reason"]["with"]
    name = min(values)
    values[name] = [] if isinstance(values[name], list) else 2 * values[name]


def run_praised(payload):
    payload["reason"] = "the best of all runs"


FORGERIES = [("ExperimentAnalysed", praised), ("ExperimentAnalysed", another_code), ("ExperimentAnalysed", another_value),
             ("RunEnded", run_praised)]


def attack(lab):
    original = lab.forged().root
    caught = set()
    for i, (event, change) in enumerate(FORGERIES):
        forged = Forgery(original, lab.tmp / f"forged-{i}")
        lines = forged.text(LOG).splitlines()
        at = next(n for n, line in enumerate(lines) if kind(line) == event)
        forged.relog(lambda lines, at=at, change=change: lines[:at] + [rewritten(lines[at], change)] + lines[at + 1:])
        findings = lab.json("audit", forged.root, code=1)["findings"]
        of_the_log = {f["rule"] for f in findings if f["file"] == LOG and f["severity"] == "critical"}
        lab.assertTrue(of_the_log, (change.__name__, findings))
        caught |= of_the_log
    return f"audit: {', '.join(sorted(caught))} (critical)"
