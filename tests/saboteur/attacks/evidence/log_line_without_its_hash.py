"""
Tries: a person edits one byte of the event log and nothing else.
Must: the form check finds the broken chain.
"""
from lab import LOG


def attack(lab):
    forged = lab.forged()
    forged.replace(LOG, '"actor":"kernel"', '"actor":"person"')
    findings = lab.json("check", forged.root, code=1)["findings"]
    found = {f["rule"] for f in findings if f["file"] == LOG or f["file"] == "etude.json"}
    lab.assertTrue(found & {"broken-chain", "log-mismatch", "hash-mismatch"}, findings)
    return "check: " + ", ".join(sorted(found)) + " (error)"
