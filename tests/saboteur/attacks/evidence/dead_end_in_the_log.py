"""
Tries: a person makes a dropped candidate look worse: its mean is changed in the log's dead end and in each page, and all hashes are computed again.
Must: the audit states the dead ends of a ranking again.
"""
import json
import re

from forgery import Forgery
from lab import LOG, kind, rewritten

SEARCH = '''
etude: 1
title: The cheapest arm
question: Which arm is the cheapest?
kind: optimize
run: sh job.sh {arm} {seed}
factors: {arm: {levels: [slow, fast, third, fourth, fifth], baseline: slow}}
metrics: {cost: {unit: points, goal: minimize, primary: true}}
design: {replicates: {min: 2, max: 4}, confirm: {top: 1, replicates: 6}}
resources: {timeout: 10m, sandbox: none}
'''


WORSE = 98770


def why(line):
    return json.loads(line)["payload"]["node"]["fields"].get("why_failed")


def worse(payload):
    payload["node"]["fields"]["why_failed"]["with"]["mean"] = WORSE


def attack(lab):
    lab.place(SEARCH)
    forged = Forgery(lab.concluded("-o", lab.tmp / "made")["artifact"], lab.tmp / "forged")
    lines = forged.text(LOG).splitlines()
    at = next(i for i, line in enumerate(lines) if kind(line) == "NodeRecorded" and why(line))
    mean = why(lines[at])["with"]["mean"]
    for page in ("report.md", "report.html", "trace/exploration_tree.yaml"):
        told = re.search(r"(ts own mean was) ([\d.]+) points", forged.text(page))
        lab.assertAlmostEqual(float(told[2]), mean, places=1)
        forged.replace(page, told[0], f"{told[1]} {WORSE} points")
    forged.relog(lambda lines: lines[:at] + [rewritten(lines[at], worse)] + lines[at + 1:])
    return lab.flagged(forged.root, "decision-mismatch", file=LOG, says=str(WORSE))
